/** For each status, the statuses that may follow it. */
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

type SourceOf<Table extends Transitions<string>, To> = {
  [From in keyof Table]: To extends Table[From][number] ? From : never;
}[keyof Table];

/** One transition as a conditional write: `from` goes into the filter, `to` into `$set`. */
export interface Move<To extends string> {
  readonly from: { readonly status: string | { readonly $in: readonly string[] } };
  readonly to: { readonly status: To };
}

/**
 * `move(to)` starts from every status that may change to `to`; `move(to, ...only)` from these
 * alone. Invalid transitions do not compile; without types, they throw.
 */
export function movesOf<const Table extends Transitions<string>>(table: Table) {
  return <To extends keyof Table & string>(to: To, ...only: readonly SourceOf<Table, To>[]): Move<To> => {
    const legal = Object.keys(table).filter((status) => table[status]?.includes(to));
    const illegal = only.filter((status) => !legal.includes(String(status)));
    if (illegal.length > 0 || legal.length === 0) throw new Error(`no move from ${illegal.join(', ') || 'anywhere'} to ${to}`);
    const sources = only.length > 0 ? only.map(String) : legal;
    const [single, ...others] = sources;
    return { from: { status: others.length === 0 && single !== undefined ? single : { $in: sources } }, to: { status: to } };
  };
}
