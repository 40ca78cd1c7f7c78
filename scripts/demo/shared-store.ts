import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';
import { linesOf } from './lines.ts';

/** Requests are newline-delimited JSON. `n` is the number of the request. */
export type Question =
  | { readonly n: number; readonly do: 'open'; readonly spec: CollectionSpec }
  | { readonly n: number; readonly do: 'prepare' | 'ping' }
  | { readonly n: number; readonly do: 'sweep'; readonly now: number }
  | { readonly n: number; readonly do: Verb; readonly in: string; readonly args: readonly unknown[] };

export type Answer =
  | { readonly n: number; readonly ok: unknown }
  /** `known` contains the properties of the error that repositories read. */
  | { readonly n: number; readonly error: string; readonly known: Readonly<Record<string, unknown>> };

export type Verb = keyof Collection<Doc>;

const KNOWN = ['name', 'code', 'errcode', 'keyPattern', 'insertedCount'] as const;

export async function shareStore(store: Store): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    const desk = new StoreServer(store);
    linesOf(socket, (line) => {
      const question: Question = JSON.parse(line);
      void desk.answer(question).then((answer) => socket.write(`${JSON.stringify(answer)}\n`));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return {
    port: address.port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

class StoreServer {
  readonly #store: Store;
  readonly #opened = new Map<string, Collection<Doc>>();

  constructor(store: Store) {
    this.#store = store;
  }

  async answer(question: Question): Promise<Answer> {
    const { n } = question;
    try {
      return { n, ok: (await this.#do(question)) ?? null };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      const facts: Readonly<Record<string, unknown>> = { ...error, name: error.name };
      return { n, error: error.message, known: Object.fromEntries(KNOWN.map((key) => [key, facts[key]])) };
    }
  }

  async #do(question: Question): Promise<unknown> {
    switch (question.do) {
      case 'open':
        this.#opened.set(question.spec.name, this.#store.collection(question.spec));
        return null;
      case 'prepare':
        return this.#store.prepare();
      case 'ping':
        return this.#store.ping();
      case 'sweep':
        return this.#store.sweep(question.now);
      default:
        return this.#carryOut(question.do, question.in, question.args);
    }
  }

  #carryOut(verb: Verb, name: string, args: readonly unknown[]): Promise<unknown> {
    const collection = this.#opened.get(name);
    if (!collection) throw new Error(`the collection ${name} is not open`);
    const result = Reflect.apply(collection[verb], collection, args);
    return verb === 'find' ? result.toArray() : result;
  }
}
