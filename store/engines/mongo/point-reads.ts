import type { Clock } from '../../../runtime/clock.ts';
import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import type { CollectionSpec, Doc, Filter } from '../../port.ts';
import { Gathering } from './gathering.ts';

const FEW = 10;

type Found<T> = ReadonlyMap<string, T>;

interface Asked<T> {
  readonly ids: readonly string[];
  readonly answer: (found: Found<T>) => void;
  readonly refuse: (cause: unknown) => void;
}

export class PointReads<T extends Doc> {
  readonly #arrays: ReadonlySet<string>;
  readonly #asked: Gathering<Asked<T>>;

  constructor(
    { arrays = [] }: Pick<CollectionSpec, 'arrays'>,
    read: (ids: readonly string[]) => Promise<readonly T[]>,
    clock?: Pick<Clock, 'after'>,
  ) {
    this.#arrays = new Set(arrays);
    this.#asked = new Gathering((asked) => askedTogether(asked, read), clock);
  }

  first(filter: Filter): Promise<T | null> | undefined {
    const { _id, ...rest } = filter;
    if (typeof _id !== 'string') return;
    const others = Object.entries(rest);
    if (!others.every(([path, value]) => typeof value === 'string' && this.#isPlain(path))) return;
    return this.#found([_id], (found) => {
      const doc = found.get(_id) ?? null;
      return others.every(([path, value]) => memberOf(doc, path) === value) ? doc : null;
    });
  }

  few(ids: readonly string[]): Promise<T[]> {
    return this.#found(ids, (found) => ids.flatMap((id) => found.get(id) ?? []));
  }

  #isPlain(path: string): boolean {
    return !path.startsWith('$') && !path.includes('.') && !this.#arrays.has(path);
  }

  #found<R>(ids: readonly string[], pick: (found: Found<T>) => R): Promise<R> {
    return new Promise((resolve, refuse) => {
      this.#asked.add({ ids, answer: (found) => resolve(pick(found)), refuse });
    });
  }
}

async function askedTogether<T extends Doc>(
  asked: readonly Asked<T>[],
  read: (ids: readonly string[]) => Promise<readonly T[]>,
): Promise<void> {
  const ids = new Set<string>();
  const shared = new Set<string>();
  for (const id of asked.flatMap(({ ids }) => ids)) (ids.has(id) ? shared : ids).add(id);
  try {
    const found = new Map((await read([...ids])).map((doc) => [doc._id, shared.has(doc._id) ? frozen(doc) : doc]));
    for (const { answer } of asked) answer(found);
  } catch (cause) {
    for (const { refuse } of asked) refuse(cause);
  }
}

function frozen<V>(value: V): V {
  if (!isRecord(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

export function idsOf({ _id, ...others }: Filter): readonly string[] | undefined {
  const ids = memberOf(_id, '$in');
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > FEW) return;
  if (Object.keys(Object(_id)).length !== 1 || Object.keys(others).length > 0) return;
  return ids.every((id) => typeof id === 'string') ? [...new Set(ids)].toSorted() : undefined;
}
