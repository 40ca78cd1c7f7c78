/** The keys of a record whose type names all of them. */
export const keysOf = <T extends object>(record: T): readonly (keyof T & string)[] => Object.keys(record) as (keyof T & string)[];
