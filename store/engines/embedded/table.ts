import { setImmediate as nextTurn } from 'node:timers/promises';
import { at } from '../../../runtime/invariant.ts';
import type { Collection, Cursor, Doc, Filter, Sort, Update } from '../../port.ts';
import { DuplicateKey } from './duplicate-key.ts';
import type { GroupCommit } from './group-commit.ts';
import { fits, namedIds } from './named-rows.ts';
import { documentOf, namedFields, type Projection, project } from './projection.ts';
import type { Reader } from './reader.ts';
import type { Row } from './recent-rows.ts';
import { type Asked, type Reading, type Rows, toRow } from './rows.ts';
import { applyUpdate, seedOf } from './update.ts';

type Json = Record<string, unknown>;

interface Insertion {
  readonly count: number;
  readonly refused: DuplicateKey | undefined;
}

interface Change<T> {
  readonly before: Row | null;
  readonly after: (() => T) | null;
  readonly modified: boolean;
}

interface Found<T> {
  readonly row: Row;
  readonly doc: T & Json;
}

const PAGE_ROWS = 200;
const MAX_SHORT = 201;
const INSERTED_BATCH_SIZE = 10;
/** A long write commits this many rows at a time. Other writes wait only for the current part. */
const SLICE_ROWS = 100;

export class Table<T extends Doc> implements Collection<T> {
  readonly #rows: Rows;
  readonly #commits: GroupCommit;
  readonly #reader: Pick<Reader, 'ask'>;

  constructor(rows: Rows, commits: GroupCommit, reader: Pick<Reader, 'ask'>) {
    this.#rows = rows;
    this.#commits = commits;
    this.#reader = reader;
  }

  findOne(filter: Filter, options: { sort?: Sort; projection?: Projection } = {}): Promise<T | null> {
    const { sort, projection } = options;
    return this.#commits.read(() => {
      const found = this.#first(filter, sort);
      return found && shown<T>(found.doc, projection);
    });
  }

  find(filter: Filter, options: Reading & { projection?: Projection; batchSize?: number } = {}): Cursor<T> {
    return {
      toArray: async () => {
        const named = isWhole(options) ? this.#named(filter) : null;
        if (named) return named.map(({ doc }) => shown<T>(doc, options.projection));
        const narrow = this.#rows.looksIntoArrays(filter) ? null : this.#narrow(filter, options);
        if (narrow) return narrow;
        return (await this.#found(filter, options)).map((row) => parsed<T>(row, options.projection));
      },
      [Symbol.asyncIterator]: () => this.#pages(filter, options),
    };
  }

  async countDocuments(filter: Filter, { limit }: { limit?: number } = {}): Promise<number> {
    const asked = this.#rows.counting(filter, limit);
    return Number(at(limit ? this.#rows.answer(asked) : await this.#answer(asked), 0)['n']);
  }

  insertOne(doc: T): Promise<{ insertedId: string }> {
    return this.#commits.write(() => {
      this.#rows.insert(doc);
      return { insertedId: doc._id };
    });
  }

  insertMany(docs: readonly T[], options: { ordered?: boolean } = {}): Promise<{ insertedCount: number }> {
    if (docs.length === 0) return Promise.reject(new TypeError('nothing to insert'));
    return options.ordered === false ? this.#insertInPieces(docs) : this.#commits.write(() => inserted(this.#insertAll(docs, true)));
  }

  updateOne(
    filter: Filter,
    update: Update,
    options: { upsert?: boolean } = {},
  ): Promise<{ matchedCount: number; modifiedCount: number; upsertedCount: number }> {
    const { isStrict } = this.#commits;
    return this.#commits.write(() => {
      const { before, after, modified } = this.#change(filter, update, options);
      if (isStrict && !after) throw new Error('an update that had to change something found nothing');
      return { matchedCount: before ? 1 : 0, modifiedCount: modified ? 1 : 0, upsertedCount: !before && after ? 1 : 0 };
    });
  }

  updateMany(filter: Filter, update: Update): Promise<{ matchedCount: number; modifiedCount: number }> {
    return this.#commits
      .write(() => {
        const named = this.#named(filter);
        if (named) return this.#rewriteAll(named, update);
        const rows = this.#rows.select(filter, { limit: SLICE_ROWS + 1 }).map(foundIn<T>);
        return rows.length > SLICE_ROWS ? this.#rows.ids(filter, {}) : this.#rewriteAll(rows, update);
      })
      .then((done) => ('matchedCount' in done ? done : this.#updateInSlices(done, filter, update)));
  }

  findOneAndUpdate(
    filter: Filter,
    update: Update,
    options: { upsert?: boolean; sort?: Sort; returnDocument: 'before' | 'after' },
  ): Promise<T | null> {
    return this.#commits.write(() => {
      const { before, after } = this.#change(filter, update, options);
      return options.returnDocument === 'after' ? (after?.() ?? null) : before && parsed<T>(before);
    });
  }

  findOneAndDelete(filter: Filter): Promise<T | null> {
    return this.#commits.write(() => this.#take(filter));
  }

  deleteOne(filter: Filter): Promise<{ deletedCount: number }> {
    return this.#commits.write(() => ({ deletedCount: this.#take(filter) ? 1 : 0 }));
  }

  deleteMany(filter: Filter): Promise<{ deletedCount: number }> {
    return this.#deleteInSlices(filter);
  }

  #narrow(filter: Filter, { projection, ...reading }: Reading & { projection?: Projection }): T[] | null {
    if (isIdOnly(projection)) return this.#rows.ids(filter, reading).map(idAlone<T>);
    const paths = namedFields(projection);
    const rows = paths && this.#rows.fields(filter, reading, paths);
    if (!rows) return null;
    return rows.map(({ id, text, fields }) => narrowed<T>(text === null ? documentOf(id, fields) : project(JSON.parse(text), projection)));
  }

  async #found(filter: Filter, options: Reading): Promise<readonly Row[]> {
    if (!this.#rows.looksIntoArrays(filter)) return this.#rows.select(filter, options);
    return (await this.#answer(this.#rows.selecting(filter, options))).map(toRow);
  }

  async #answer(asked: Asked): ReturnType<Reader['ask']> {
    return this.#rows.isLarge ? this.#reader.ask(asked) : this.#rows.answer(asked);
  }

  async #updateInSlices(ids: readonly string[], filter: Filter, update: Update): Promise<{ matchedCount: number; modifiedCount: number }> {
    const sum = { matchedCount: 0, modifiedCount: 0 };
    for (let at = 0; at < ids.length; at += SLICE_ROWS) {
      const slice = ids.slice(at, at + SLICE_ROWS);
      const done = await this.#commits.write(() => this.#rewriteAll([...this.#rows.byId(slice, filter).values()].map(foundIn<T>), update));
      sum.matchedCount += done.matchedCount;
      sum.modifiedCount += done.modifiedCount;
    }
    return sum;
  }

  #named(filter: Filter): readonly Found<T>[] | null {
    const ids = namedIds(filter, (path) => this.#rows.isPlain(path));
    if (ids === null) return null;
    const rows = this.#rows.these(ids).map(foundIn<T>);
    return rows.filter(({ doc }) => fits(doc, filter));
  }

  #first(filter: Filter, sort: Sort | undefined): Found<T> | null {
    const named = sort ? null : this.#named(filter);
    if (named) return named[0] ?? null;
    const row = this.#rows.first(filter, sort);
    return row && foundIn<T>(row);
  }

  #rewriteAll(rows: readonly Found<T>[], update: Update): { matchedCount: number; modifiedCount: number } {
    let modifiedCount = 0;
    for (const row of rows) if (this.#rewrite(row, update).modified) modifiedCount++;
    return { matchedCount: rows.length, modifiedCount };
  }

  async #deleteInSlices(filter: Filter): Promise<{ deletedCount: number }> {
    let deletedCount = 0;
    for (let removed = SLICE_ROWS; removed === SLICE_ROWS; deletedCount += removed)
      removed = await this.#commits.write(() => this.#rows.removeSome(filter, SLICE_ROWS));
    return { deletedCount };
  }

  #take(filter: Filter): T | null {
    const found = this.#first(filter, undefined);
    if (found) this.#rows.removeRow(found.row);
    return found?.doc ?? null;
  }

  #change(filter: Filter, update: Update, { upsert, sort }: { upsert?: boolean; sort?: Sort }): Change<T> {
    const found = this.#first(filter, sort);
    if (found) {
      const { after, modified } = this.#rewrite(found, update);
      return { before: found.row, after: () => after, modified };
    }
    return { before: null, after: upsert ? this.#upsert(filter, update) : null, modified: false };
  }

  #rewrite({ row, doc: after }: Found<T>, update: Update): { after: T; modified: boolean } {
    const before = this.#rows.columnsOf(after);
    applyUpdate(after, update, false);
    return { after, modified: this.#rows.overwrite(row, before, after) };
  }

  #upsert(filter: Filter, update: Update): () => T {
    const doc = seedOf(filter);
    applyUpdate(doc, update, true);
    const text = this.#rows.insert(doc);
    return () => JSON.parse(text);
  }

  async #insertInPieces(docs: readonly T[]): Promise<{ insertedCount: number }> {
    const done: Insertion[] = [];
    for (let at = 0; at < docs.length; at += SLICE_ROWS) done.push(...(await this.#insertSlice(docs.slice(at, at + SLICE_ROWS))));
    return inserted({ count: done.reduce((sum, { count }) => sum + count, 0), refused: done.find(({ refused }) => refused)?.refused });
  }

  async #insertSlice(docs: readonly T[]): Promise<readonly Insertion[]> {
    const pieces: Promise<Insertion>[] = [];
    for (let at = 0; at < docs.length; at += INSERTED_BATCH_SIZE)
      pieces.push(this.#commits.write(() => this.#insertAll(docs.slice(at, at + INSERTED_BATCH_SIZE), false)));
    const settled = await Promise.allSettled(pieces);
    const failed = settled.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return settled.flatMap((piece) => (piece.status === 'fulfilled' ? [piece.value] : []));
  }

  #insertAll(docs: readonly T[], ordered: boolean): Insertion {
    const refused: DuplicateKey[] = [];
    let count = 0;
    for (const doc of docs) {
      if (this.#insertUnlessTaken(doc, refused)) count++;
      else if (ordered) break;
    }
    return { count, refused: refused[0] };
  }

  #insertUnlessTaken(doc: T, refused: DuplicateKey[]): boolean {
    try {
      this.#rows.insert(doc);
      return true;
    } catch (cause) {
      if (!(cause instanceof DuplicateKey)) throw cause;
      refused.push(cause);
      return false;
    }
  }

  /** A long read keeps no transaction open. It reads row numbers first, then the documents in pieces. */
  async *#pages(
    filter: Filter,
    { projection, batchSize = PAGE_ROWS, ...reading }: Reading & { projection?: Projection; batchSize?: number },
  ): AsyncGenerator<T, void, void> {
    if (isById(reading)) return yield* this.#steps(filter, projection, batchSize);
    if (isShort(reading) && !this.#rows.looksIntoArrays(filter)) return yield* this.#begun(filter, projection, reading);
    const { numbers } = at(await this.#answer(this.#rows.numbering(filter, reading)), 0);
    for (const page of pagesOf(String(numbers ?? ''), batchSize)) {
      yield* this.#numbered(page, filter, projection);
      await nextTurn();
    }
  }

  async *#begun(filter: Filter, projection: Projection | undefined, reading: Reading): AsyncGenerator<T, void, void> {
    const { rows, numbers } = await this.#commits.read(() => {
      const { rows, isWhole } = this.#rows.selectSome(filter, reading);
      const rest = { ...reading, limit: (reading.limit ?? 0) - rows.length, skip: (reading.skip ?? 0) + rows.length };
      return { rows, numbers: isWhole ? '' : at(this.#rows.answer(this.#rows.numbering(filter, rest)), 0)['numbers'] };
    });
    for (const row of rows) yield parsed<T>(row, projection);
    for (const page of pagesOf(String(numbers ?? ''), PAGE_ROWS)) {
      await nextTurn();
      yield* this.#numbered(page, filter, projection);
    }
  }

  async *#numbered(page: readonly number[], filter: Filter, projection: Projection | undefined): AsyncGenerator<T, void, void> {
    for (let rest = page; rest.length > 0; ) {
      const { rows, isWhole } = await this.#commits.read(() => this.#rows.byNumber(rest, filter));
      for (const row of rows) yield parsed<T>(row, projection);
      if (isWhole) return;
      rest = rest.slice(rest.indexOf(Number(at(rows, -1).row)) + 1);
      await nextTurn();
    }
  }

  /** Ids never change, so each step can continue after the previous one. */
  async *#steps(filter: Filter, projection: Projection | undefined, limit: number): AsyncGenerator<T, void, void> {
    for (let after = ''; ; ) {
      const { rows, isLast } = await this.#step({ $and: [{ _id: { $gt: after } }, filter] }, { sort: { _id: 1 }, limit });
      for (const row of rows) yield parsed<T>(row, projection);
      if (isLast) return;
      const last = rows.at(-1);
      if (last) after = parsed<T>(last)._id;
      await nextTurn();
    }
  }

  async #step(filter: Filter, reading: Reading & { limit: number }): Promise<{ readonly rows: readonly Row[]; readonly isLast: boolean }> {
    if (!this.#rows.looksIntoArrays(filter)) {
      const { rows, isWhole } = this.#rows.selectSome(filter, reading);
      return { rows, isLast: isWhole && rows.length < reading.limit };
    }
    const { numbers } = at(await this.#answer(this.#rows.numbering(filter, reading)), 0);
    const [page = []] = pagesOf(String(numbers ?? ''), reading.limit);
    const { rows, isWhole } = this.#rows.byNumber(page, filter);
    return { rows, isLast: isWhole && page.length < reading.limit };
  }
}

function* pagesOf(numbers: string, size: number): Generator<readonly number[], void, void> {
  let page: number[] = [];
  for (let from = 0; from < numbers.length; ) {
    const comma = numbers.indexOf(',', from);
    const to = comma === -1 ? numbers.length : comma;
    page.push(Number(numbers.slice(from, to)));
    from = to + 1;
    if (page.length < size && from < numbers.length) continue;
    yield page;
    page = [];
  }
}

const isWhole = ({ sort, limit, skip }: Reading): boolean => !sort && !limit && !skip;

const isById = ({ sort, limit, skip }: Reading): boolean =>
  sort !== undefined && Object.keys(sort).join() === '_id' && sort['_id'] === 1 && !limit && !skip;

const isShort = ({ limit }: Reading): boolean => limit !== undefined && limit > 0 && limit <= MAX_SHORT;

const isIdOnly = (projection: Projection | undefined): boolean =>
  projection !== undefined && Object.keys(projection).join() === '_id' && projection['_id'] === 1;

function inserted({ count, refused }: Insertion): { insertedCount: number } {
  if (refused) throw refused.after(count);
  return { insertedCount: count };
}

const foundIn = <T>(row: Row): Found<T> => ({ row, doc: JSON.parse(row.text) });

const parsed = <T>({ text }: Row, projection?: Projection): T => shown<T>(JSON.parse(text), projection);

// Keeps the type of the whole document despite a projection, as MongoDB's driver does.
const narrowed = <T>(doc: Json): T => doc as T;

const shown = <T>(doc: T & Json, projection?: Projection): T => (projection ? narrowed<T>(project(doc, projection)) : doc);

const idAlone = <T>(_id: string): T => narrowed<T>({ _id });
