/** What a value of unknown type is, asked before it is used. */

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** Is it one of these? */
export const isOneOf = <T>(known: readonly T[], value: unknown): value is T => known.some((one) => one === value);

/** The member of a value of unknown type; undefined where it has none. */
export const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
