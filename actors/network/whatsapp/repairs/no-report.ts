/**
 * Turns off the library's report tokens, which readers cannot check. `outbound/reporting.ts`
 * creates valid ones.
 */
export const shouldIncludeReportingToken = (): boolean => false;
export const getMessageReportingToken = async (): Promise<null> => null;
