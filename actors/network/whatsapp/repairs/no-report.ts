/**
 * Replaces the library's report tokens, which no reader could check, with none. Ours:
 * `outbound/reporting.ts`.
 */
export const shouldIncludeReportingToken = (): boolean => false;
export const getMessageReportingToken = async (): Promise<null> => null;
