/**
 * Replaces the library's report tokens with none. The library derives them from the padded message
 * and without the sender, so that no reader could check them. Ours are created in
 * `outbound/reporting.ts`.
 */
export const shouldIncludeReportingToken = (): boolean => false;
export const getMessageReportingToken = async (): Promise<null> => null;
