export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

type SourceOf<Table extends Transitions<string>, To> = {
  [From in keyof Table]: To extends Table[From][number] ? From : never;
}[keyof Table];

export interface Move<To extends string> {
  readonly from: { readonly status: string | { readonly $in: readonly string[] } };
  readonly to: { readonly status: To };
}

/** Invalid transitions do not compile. In code without types, they throw. */
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
