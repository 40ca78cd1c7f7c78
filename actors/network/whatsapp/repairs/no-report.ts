/** Disables the library's tokens, which the network cannot check (see `outbound/reporting.ts`). */
export const shouldIncludeReportingToken = (): boolean => false;
export const getMessageReportingToken = async (): Promise<null> => null;
