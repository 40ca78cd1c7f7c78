export const keysOf = <T extends object>(record: T): readonly (keyof T & string)[] => Object.keys(record) as (keyof T & string)[];

export const entriesOf = <T extends object>(record: T): readonly (readonly [keyof T & string, T[keyof T & string]])[] =>
  keysOf(record).map((key) => [key, record[key]] as const);
