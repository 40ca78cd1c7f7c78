import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { Collection, CollectionSpec, Cursor, Doc, Store } from '../../store/port.ts';
import { linesOf } from './lines.ts';
import type { Answer, Question, Verb } from './shared-store.ts';

interface Waiting {
  resolve(answer: unknown): void;
  reject(cause: Error): void;
}

type WithoutNumber<Q> = Q extends Question ? Omit<Q, 'n'> : never;

export async function connectStore(port: number): Promise<Store> {
  const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  return new SharedStore(socket);
}

class SharedStore implements Store {
  readonly name = 'embedded';
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    linesOf(socket, (line) => this.#receive(JSON.parse(line)));
    socket.on('error', () => socket.destroy()).on('close', () => this.#refuseAll());
  }

  collection<T extends Doc>(spec: CollectionSpec): Collection<T> {
    // If this request fails, all later requests on this socket fail too, so its own error can be
    // ignored.
    this.#ask({ do: 'open', spec }).catch(() => {});
    return sharedCollection<T>((verb, args) => this.#ask({ do: verb, in: spec.name, args }));
  }

  async prepare(): Promise<void> {
    await this.#ask({ do: 'prepare' });
  }

  async ping(): Promise<void> {
    await this.#ask({ do: 'ping' });
  }

  async sweep(now: number): Promise<number> {
    return Number(await this.#ask({ do: 'sweep', now }));
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }

  #ask(question: WithoutNumber<Question>): Promise<unknown> {
    if (this.#socket.destroyed) return Promise.reject(gone());
    this.#last += 1;
    const n = this.#last;
    return new Promise((resolve, reject) => {
      const text = JSON.stringify({ ...question, n }, defined);
      this.#waiting.set(n, { resolve, reject });
      this.#socket.write(`${text}\n`);
    });
  }

  #receive(answer: Answer): void {
    const waiting = this.#waiting.get(answer.n);
    this.#waiting.delete(answer.n);
    if ('ok' in answer) waiting?.resolve(answer.ok);
    else waiting?.reject(Object.assign(new Error(answer.error), answer.known));
  }

  #refuseAll(): void {
    for (const { reject } of this.#waiting.values()) reject(gone());
    this.#waiting.clear();
  }
}

type Ask = (verb: Verb, args: readonly unknown[]) => Promise<unknown>;

function sharedCollection<T extends Doc>(ask: Ask): Collection<T> {
  const verb =
    (name: Verb) =>
    (...args: readonly unknown[]) =>
      ask(name, args.slice(0, args.findLastIndex((arg) => arg !== undefined) + 1));
  const verbs: Record<Verb, unknown> = {
    find: (...args: readonly unknown[]) => cursor(() => verb('find')(...args)),
    findOne: verb('findOne'),
    countDocuments: verb('countDocuments'),
    insertOne: verb('insertOne'),
    insertMany: verb('insertMany'),
    updateOne: verb('updateOne'),
    updateMany: verb('updateMany'),
    findOneAndUpdate: verb('findOneAndUpdate'),
    findOneAndDelete: verb('findOneAndDelete'),
    deleteOne: verb('deleteOne'),
    deleteMany: verb('deleteMany'),
  };
  return verbs as unknown as Collection<T>;
}

function cursor<T>(read: () => Promise<unknown>): Cursor<T> {
  const toArray = (): Promise<T[]> => read() as Promise<T[]>;
  return {
    toArray,
    async *[Symbol.asyncIterator]() {
      yield* await toArray();
    },
  };
}

/** JSON would silently drop `undefined`, and a filter without its condition matches every row. */
function defined(_key: string, value: unknown): unknown {
  if (value === undefined) throw new TypeError('undefined cannot be stored');
  return value;
}

/** The same error as for an unavailable database, so that callers get 503. */
const gone = (): Error => Object.assign(new Error('the shared store is gone'), { code: 'ERR_INVALID_STATE' });
