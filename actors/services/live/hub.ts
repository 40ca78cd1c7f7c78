import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { refusal } from '../../domain/refusals.ts';
import type { StreamEvent } from './stream-event.ts';
import { type AssigneesOf, carries, isForItsKey, mayAgentSee, type Viewer } from './visibility.ts';

export interface StreamSink {
  readonly writable: boolean;
  readonly writableLength: number;
  write(bytes: Uint8Array): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close' | 'drain', received: () => void): unknown;
}

export interface Follower {
  wake(): void;
  isStuck(): boolean;
}

export interface HubOptions {
  readonly clock: Clock;
  readonly assigneesOf: AssigneesOf;
  readonly mostPerTenant: number;
  readonly most: number;
}

interface Reader {
  readonly viewer: Viewer;
  readonly sink: StreamSink;
  readonly follower: Follower | null;
}

interface VisibilityCheck {
  waiting: number;
  tail: Promise<void>;
}

const HEARTBEAT_MS = 15_000;
const MAX_UNSENT_BYTES = 256 * 1024;
const MAX_WAITING_LINES = 1_000;
const GREETING = Buffer.from(': open\n\n');
const HEARTBEAT = Buffer.from(': hb\n\n');

/** Sends a reader all events of an event-loop tick in a single write. */
export class Hub {
  readonly #options: HubOptions;
  readonly #tenants = new Map<string, Set<Reader>>();
  readonly #asking = new Map<string, VisibilityCheck>();
  #lines = new Map<string, StreamEvent[]>();
  #count = 0;
  #cancelBeat: Cancel = () => {};
  #isClosed = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#beatLater();
  }

  get size(): number {
    return this.#count;
  }

  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  *viewers(tenantId?: string): Iterable<Viewer> {
    for (const [id, readers] of this.#tenants)
      if (tenantId === undefined || id === tenantId) for (const { viewer } of readers) yield viewer;
  }

  expectRoom(tenantId: string): void {
    if (this.#isClosed) throw refusal('UNAVAILABLE');
    const limit = this.#reached(tenantId);
    if (limit !== null) throw refusal('RATE_LIMITED', { retryAfterMs: HEARTBEAT_MS, limit });
  }

  /** With a follower, which supplies the recorded events, the hub writes only unrecorded ones. */
  open(viewer: Viewer, sink: StreamSink, follower: Follower | null = null): void {
    if (this.#isClosed || this.#reached(viewer.tenantId) !== null) return void sink.destroy();
    const reader = { viewer, sink, follower };
    const readers = this.#tenants.get(viewer.tenantId) ?? new Set();
    this.#tenants.set(viewer.tenantId, readers.add(reader));
    this.#count += 1;
    sink.once('close', () => this.#forget(reader));
    sink.write(GREETING);
    follower?.wake();
  }

  add(lines: readonly StreamEvent[]): void {
    for (const line of lines) {
      if (!this.#tenants.has(line.tenant)) continue;
      if (this.#lines.size === 0) setImmediate(() => this.#flush());
      const own = this.#lines.get(line.tenant);
      if (own) own.push(line);
      else this.#lines.set(line.tenant, [line]);
    }
  }

  drop(isOver: (viewer: Viewer) => boolean): void {
    for (const readers of this.#tenants.values()) for (const reader of readers) if (isOver(reader.viewer)) this.#cut(reader);
  }

  /** Closes streams that may have missed events and have no follower to read them from the log. */
  dropThoseWithoutLog(): void {
    for (const readers of this.#tenants.values()) for (const reader of readers) if (reader.follower === null) this.#cut(reader);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelBeat();
    for (const readers of this.#tenants.values()) for (const { sink } of readers) sink.end();
  }

  #reached(tenantId: string): number | null {
    const { most, mostPerTenant } = this.#options;
    if ((this.#tenants.get(tenantId)?.size ?? 0) >= mostPerTenant) return mostPerTenant;
    return this.#count >= most ? most : null;
  }

  #forget(reader: Reader): void {
    const { tenantId } = reader.viewer;
    const readers = this.#tenants.get(tenantId);
    if (!readers?.delete(reader)) return;
    this.#count -= 1;
    if (readers.size === 0) this.#tenants.delete(tenantId);
  }

  #cut(reader: Reader): void {
    this.#forget(reader);
    reader.sink.destroy();
  }

  #beatLater(): void {
    this.#cancelBeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      for (const readers of this.#tenants.values()) for (const reader of readers) this.#beat(reader);
      this.#beatLater();
    });
  }

  #beat(reader: Reader): void {
    if (reader.follower?.isStuck()) return this.#cut(reader);
    this.#write(reader, HEARTBEAT);
    // A broadcast from another node may have been lost, so check the log now and then.
    reader.follower?.wake();
  }

  #flush(): void {
    const turn = this.#lines;
    this.#lines = new Map();
    for (const [tenantId, lines] of turn) this.#deliver(tenantId, lines);
  }

  #deliver(tenantId: string, lines: readonly StreamEvent[]): void {
    const written = new Map<string, Buffer>();
    for (const reader of this.#tenants.get(tenantId) ?? []) {
      reader.follower?.wake();
      if (reader.viewer.role === 'agent') continue;
      const { manages, sessionIds, events } = reader.viewer;
      const restriction = `${manages} ${sessionIds?.join() ?? 'none'} ${events?.join() ?? 'default'} ${reader.follower !== null}`;
      const bytes =
        written.get(restriction) ?? framed(lines.filter((line) => isForReader(reader, line) && isForItsKey(reader.viewer, line)));
      written.set(restriction, bytes);
      this.#write(reader, bytes);
    }
    if (this.#agents(tenantId).length > 0) this.#deliverToAgents(tenantId, lines);
  }

  #agents(tenantId: string): readonly Reader[] {
    return [...(this.#tenants.get(tenantId) ?? [])].filter(({ viewer }) => viewer.role === 'agent');
  }

  #deliverToAgents(tenantId: string, lines: readonly StreamEvent[]): void {
    const asking = this.#asking.get(tenantId) ?? { waiting: 0, tail: Promise.resolve() };
    this.#asking.set(tenantId, asking);
    asking.waiting += lines.length;
    if (asking.waiting > MAX_WAITING_LINES) this.#cutAgents(tenantId);
    asking.tail = asking.tail
      .then(() => this.#askAndWrite(tenantId, lines))
      // If the check fails, close the streams of agents, who may not be allowed to see these events.
      .catch(() => this.#cutAgents(tenantId))
      .then(() => {
        asking.waiting -= lines.length;
        if (asking.waiting === 0) this.#asking.delete(tenantId);
      });
  }

  async #askAndWrite(tenantId: string, lines: readonly StreamEvent[]): Promise<void> {
    const read = lines.filter((line) => this.#agents(tenantId).some((reader) => isForReader(reader, line)));
    if (read.length === 0) return;
    const { assigneesOf } = this.#options;
    const assignees = await Promise.all(read.map(({ session, chat }) => (chat === null ? [] : assigneesOf(tenantId, session, chat))));
    for (const reader of this.#agents(tenantId))
      this.#write(
        reader,
        framed(read.filter((line, i) => isForReader(reader, line) && mayAgentSee(reader.viewer, line, at(assignees, i)))),
      );
  }

  #cutAgents(tenantId: string): void {
    for (const reader of this.#agents(tenantId)) this.#cut(reader);
  }

  /** All readers share one buffer, so many slow readers need hardly more memory than one. */
  #write(reader: Reader, bytes: Buffer): void {
    const { sink } = reader;
    if (bytes.length === 0 || !sink.writable) return;
    if (sink.writableLength > MAX_UNSENT_BYTES) return this.#cut(reader);
    sink.write(bytes);
  }
}

const isForReader = ({ viewer, follower }: Reader, { type, ephemeral }: StreamEvent): boolean =>
  carries(viewer, type) && (follower === null || ephemeral === true);

const framed = (lines: readonly StreamEvent[]): Buffer => Buffer.from(lines.map(({ frame }) => frame).join(''));
