/**
 * Limits of sends from official numbers that must be known without the driver of the official
 * platform, which only gateways with official numbers load.
 */

/** A message fails if the platform does not answer within this time. It is not sent again. */
export const OUTCOME_UNKNOWN_MS = 600_000;
