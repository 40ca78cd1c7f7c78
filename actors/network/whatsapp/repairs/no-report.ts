/**
 * In place of the library's tokens for reports, which it makes of the padded message and without the sender, so that no reader could check
 * them: it adds none. Ours is made in `outbound/reporting.ts`.
 */
export const shouldIncludeReportingToken = (): boolean => false;
export const getMessageReportingToken = async (): Promise<null> => null;
