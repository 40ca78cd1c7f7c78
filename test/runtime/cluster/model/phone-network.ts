import { refusal } from '../../../../actors/domain/refusals.ts';
import { CLOSED, type Connection, type ConnectionEvent, type Network, type OutgoingMessage } from '../../../../actors/network/port.ts';
import type { Guards } from './guards.ts';
import type { Login, Oracle } from './oracle.ts';
import type { Process } from './process.ts';
import type { Roads } from './roads.ts';

/** Slower than this and TCP gives up: no login takes effect later than that after it was sent. The lease's margin is longer. */
const LONGEST_TRIP_MS = 1_500;
/** Both ends ping: a connection that swallowed something is found out. */
const FOUND_DEAD_MS = 25_000;

/** Who is logged in where: a later login throws out the earlier one (440), a message id is accepted once. */
export class PhoneNetwork {
  readonly #oracle: Oracle;
  readonly #roads: Roads;
  readonly #guards: Guards;
  readonly #live = new Map<string, Socket>();
  readonly #seen = new Map<string, Set<string>>();
  readonly #hushed = new Set<string>();

  constructor(oracle: Oracle, roads: Roads, guards: Guards) {
    this.#oracle = oracle;
    this.#roads = roads;
    this.#guards = guards;
  }

  /** The network as the owner of a device with this epoch reaches it. */
  seenBy(process: Process, epoch: number): Network {
    return {
      name: 'sandbox',
      open: ({ deviceId }, receive) => {
        const socket = new Socket({ device: deviceId, epoch, process, receive: (said) => receive(this.#translated(said)) }, this.#roads);
        socket.send(() => this.#logIn(socket));
        return this.#connectionOn(socket);
      },
      shutdown: async () => {},
    };
  }

  /** The network drops a connection. */
  drop(device: string): void {
    this.#end(device, CLOSED.dropped);
  }

  /** A stranger's computer logs in with the same credentials; answers whether there was anybody to throw out. */
  intrude(device: string): boolean {
    this.#oracle.note(`a stranger logs ${device} in`);
    this.#oracle.replaced(device);
    return this.#end(device, CLOSED.replaced);
  }

  /** The network takes what it is sent and does not say so. */
  hush(device: string, isHushed: boolean): void {
    if (isHushed) this.#hushed.add(device);
    else this.#hushed.delete(device);
  }

  isOnline(device: string): boolean {
    return this.#live.get(device)?.isInUse === true;
  }

  #logIn(socket: Socket): void {
    const { device } = socket;
    const evicted = this.#live.get(device) ?? null;
    this.#oracle.loggedIn(socket, evicted);
    if (evicted) this.#oracle.replaced(device);
    this.#live.set(device, socket);
    evicted?.say({ type: 'closed', code: CLOSED.replaced });
    socket.say({ type: 'opened', phone: device, name: null, about: null });
  }

  #receive(socket: Socket, { netId, content }: OutgoingMessage): void {
    if (this.#live.get(socket.device) !== socket) return;
    const seen = this.#seen.get(socket.device) ?? new Set<string>();
    this.#seen.set(socket.device, seen);
    if (!seen.has(netId)) this.#oracle.accepted(socket.device, content.type === 'text' ? content.body : '', netId);
    seen.add(netId);
    if (!this.#hushed.has(socket.device)) socket.say({ type: 'acked', netId, at: this.#roads.time.now() });
  }

  #end(device: string, code: number): boolean {
    const socket = this.#live.get(device);
    this.#live.delete(device);
    socket?.say({ type: 'closed', code });
    return socket !== undefined;
  }

  #hungUp(socket: Socket): void {
    if (this.#live.get(socket.device) === socket) this.#live.delete(socket.device);
    socket.say({ type: 'closed', code: CLOSED.normally });
  }

  #connectionOn(socket: Socket): Connection {
    const never = () => Promise.reject(refusal('NOT_CONNECTED'));
    return {
      send: (message) => socket.send(() => this.#receive(socket, message)),
      react: () => {},
      edit: () => {},
      erase: () => {},
      markRead: () => {},
      presence: () => {},
      acknowledge: () => {},
      download: never,
      pairingCode: never,
      lookUp: never,
      logOut: never,
      close: () => {
        socket.send(() => this.#hungUp(socket));
        socket.isClosedHere = true;
      },
    };
  }

  /** Without the guard a replaced login is opened again like one that the network asks to restart. */
  #translated(said: ConnectionEvent): ConnectionEvent {
    const isReplaced = said.type === 'closed' && said.code === CLOSED.replaced;
    return isReplaced && !this.#guards.yieldsWhenReplaced ? { type: 'closed', code: CLOSED.restart } : said;
  }
}

interface End {
  readonly device: string;
  readonly epoch: number;
  readonly process: Process;
  readonly receive: (said: ConnectionEvent) => void;
}

/** One connection: what is said arrives in order, or the connection is dead from there on. */
class Socket implements Login {
  readonly device: string;
  readonly epoch: number;
  isClosedHere = false;
  #isOver = false;
  readonly #end: End;
  readonly #roads: Roads;
  #outAt = 0;
  #inAt = 0;

  constructor(end: End, roads: Roads) {
    this.device = end.device;
    this.epoch = end.epoch;
    this.#end = end;
    this.#roads = roads;
  }

  get who(): string {
    return `${this.#end.process.node}/${this.#end.process.boot}`;
  }

  get isInUse(): boolean {
    return this.#end.process.isRunning && !this.isClosedHere;
  }

  /** To the network. */
  send(arrive: () => void): void {
    if (this.isClosedHere) return;
    this.#outAt = this.#travel(this.#outAt, arrive);
  }

  /** To the process. */
  say(event: ConnectionEvent): void {
    this.#inAt = this.#travel(this.#inAt, () => this.#receive(event));
  }

  #receive(event: ConnectionEvent): void {
    this.#end.process.deliver(() => {
      if (this.#isOver) return;
      this.#isOver = event.type === 'closed';
      if (this.#isOver) this.isClosedHere = true;
      this.#end.receive(event);
    });
  }

  #travel(after: number, arrive: () => void): number {
    const { time } = this.#roads;
    const ms = this.#roads.travelMs(this.#end.process.node, 'network');
    if (after === Number.POSITIVE_INFINITY) return after;
    if (ms === Number.POSITIVE_INFINITY) {
      time.after(FOUND_DEAD_MS, () => this.#receive({ type: 'closed', code: CLOSED.dropped }));
      return ms;
    }
    const at = Math.max(after, time.monotonic() + Math.min(ms, LONGEST_TRIP_MS));
    time.after(at - time.monotonic(), arrive);
    return at;
  }
}
