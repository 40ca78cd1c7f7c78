/** Readers cannot check the library's report tokens; `outbound/reporting.ts` creates valid ones. */
export const shouldIncludeReportingToken = (): boolean => false;
export const getMessageReportingToken = async (): Promise<null> => null;
