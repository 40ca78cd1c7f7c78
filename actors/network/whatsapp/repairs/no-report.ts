/** The library's report tokens cannot be checked by readers; ours: `outbound/reporting.ts`. */
export const shouldIncludeReportingToken = (): boolean => false;
export const getMessageReportingToken = async (): Promise<null> => null;
