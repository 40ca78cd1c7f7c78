export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

export const isOneOf = <T>(known: readonly T[], value: unknown): value is T => known.some((one) => one === value);

export const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
