import { memberOf } from '../../../../runtime/shapes.ts';
import type { DeviceRow } from '../../../../store/devices/devices.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';
import type { Collection, CollectionSpec, Condition, Doc, Filter, Sort, Store, Update } from '../../../../store/port.ts';
import type { Guards } from './guards.ts';
import type { Oracle } from './oracle.ts';
import type { Process } from './process.ts';
import type { Roads } from './roads.ts';

type Row = Doc & Readonly<Record<string, unknown>>;
type Change = (row: Row) => Row;

/** One database for all nodes: each document changes atomically, every question and answer travels. The repositories on it are the real ones. */
export class MemoryStore {
  readonly #tables = new Map<string, Map<string, Row>>();
  readonly #oracle: Oracle;
  readonly #guards: Guards;
  /** The counter that Redis would keep if epochs lived there. */
  epochsInRedis = 0;

  constructor(oracle: Oracle, guards: Guards) {
    this.#oracle = oracle;
    this.#guards = guards;
  }

  put(table: 'devices' | 'messages', row: DeviceRow | MessageRow): void {
    this.#table(table).set(row._id, { ...row });
  }

  messages(): readonly MessageRow[] {
    return [...this.#table('messages').values()] as unknown as MessageRow[];
  }

  /** The store as one process reaches it. */
  seenBy(process: Process, roads: Roads): Store {
    const call = <T>(run: () => T): Promise<T> => roads.call(process, 'store', run);
    return {
      name: 'mongodb',
      // The model keeps rows of all kinds; each repository knows the shape of its own.
      collection: <T extends Doc>({ name }: CollectionSpec) => this.#collection(name, call) as unknown as Collection<T>,
      prepare: async () => {},
      ping: () => call(() => {}),
      sweep: async () => 0,
      close: async () => {},
    };
  }

  #collection(name: string, call: <T>(run: () => T) => Promise<T>): Partial<Collection<Row>> {
    return {
      findOne: (filter) => call(() => this.#find(name, filter)[0] ?? null),
      find: (filter, options) => {
        const toArray = () => call(() => this.#forResend(name, filter, this.#find(name, filter, options?.sort).slice(0, options?.limit)));
        return {
          toArray,
          async *[Symbol.asyncIterator]() {
            yield* await toArray();
          },
        };
      },
      updateOne: (filter, update) => call(() => ({ ...this.#update(name, filter, update, 1), upsertedCount: 0 })),
      updateMany: (filter, update) => call(() => this.#update(name, filter, update, Number.POSITIVE_INFINITY)),
      findOneAndUpdate: (filter, update) =>
        call(() => {
          const { changed } = this.#update(name, filter, update, 1);
          return changed[0] ?? null;
        }),
    };
  }

  #table(name: string): Map<string, Row> {
    const table = this.#tables.get(name) ?? new Map<string, Row>();
    this.#tables.set(name, table);
    return table;
  }

  #find(name: string, filter: Filter, sort: Sort = {}): Row[] {
    return [...this.#table(name).values()].filter((row) => matches(row, filter)).sort(inOrder(sort));
  }

  /** Without its guard a message that is to be sent again gets another network id. */
  #forResend(name: string, filter: Filter, found: Row[]): Row[] {
    if (filter['status'] !== 'sending' || this.#guards.keepsNetId) return found;
    const anew = found.map((row) => ({ ...row, net_id: `${row['net_id']}+` }));
    for (const row of anew) this.#table(name).set(row._id, row);
    return anew;
  }

  #update(name: string, filter: Filter, update: Update, most: number) {
    const { epoch, ...unfenced } = filter;
    const found = this.#find(name, this.#guards.fencesWrites ? filter : (unfenced as Filter)).slice(0, most);
    const changed = found.map((row) => {
      const written = this.#changeOf(update)(row);
      this.#tell(name, row, written, epoch as Condition | number | undefined);
      this.#table(name).set(row._id, written);
      return written;
    });
    return { matchedCount: found.length, modifiedCount: found.length, changed };
  }

  #changeOf({ $set = {}, $inc = {} }: Update): Change {
    const raised = (row: Row): [string, unknown][] =>
      Object.entries($inc).map(([key, by]) => {
        if (key === 'epoch' && !this.#guards.storesEpoch) return [key, ++this.epochsInRedis];
        return [key, Number(row[key]) + by];
      });
    return (row) => ({ ...row, ...$set, ...Object.fromEntries(raised(row)) });
  }

  #tell(name: string, before: Row, after: Row, fence: Condition | number | undefined): void {
    if (name === 'devices' && fence === undefined && before['epoch'] !== after['epoch'])
      this.#oracle.owned(after._id, Number(after['epoch']), String(after['node']));
    if (name === 'messages') this.#oracle.wrote(`message ${before._id}`, Number(after['epoch']), Number(before['epoch']));
    if (fence === undefined) return;
    const theirs = typeof fence === 'number' ? fence : Number(fence.$lte ?? fence.$lt);
    this.#oracle.wrote(`${name} ${before._id}`, theirs, Number(before['epoch']));
  }
}

function matches(row: Row, { $or, ...filter }: Filter): boolean {
  const meetsOne = $or?.some((one) => matches(row, one)) ?? true;
  return (
    meetsOne && Object.entries(filter).every(([path, wanted]) => meets(valueAt(row, path), wanted as Condition | string | number | null))
  );
}

const valueAt = (row: Row, path: string): unknown => path.split('.').reduce<unknown>(memberOf, row) ?? null;

function meets(value: unknown, wanted: Condition | string | number | boolean | null): boolean {
  if (wanted === null || typeof wanted !== 'object') return value === wanted;
  return Object.entries(wanted).every(([operator, bound]) => compares(operator, value, bound));
}

function compares(operator: string, value: unknown, bound: unknown): boolean {
  switch (operator) {
    case '$in':
      return (bound as unknown[]).includes(value);
    case '$lte':
      return (value as number) <= (bound as number);
    case '$gt':
      return (value as number) > (bound as number);
    case '$lt':
      return (value as number) < (bound as number);
    default:
      throw new TypeError(`the model's store knows no ${operator}`);
  }
}

function inOrder(sort: Sort) {
  return (a: Row, b: Row): number => {
    for (const [path, direction] of Object.entries(sort)) {
      const [one, other] = [a[path] as string | number, b[path] as string | number];
      if (one !== other) return one < other ? -direction : direction;
    }
    return 0;
  };
}
