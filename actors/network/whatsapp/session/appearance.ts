import type { Cancel } from '../../../../runtime/clock.ts';
import { phoneOf } from '../keys/account.ts';
import { tokenNodes, tokenOf } from '../outbound/tokens.ts';
import { el } from '../questions/query.ts';
import { attempt, type ConnectionContext } from './connection-context.ts';

type Parts = Pick<ConnectionContext, 'socket' | 'addressing' | 'creds' | 'clock' | 'log' | 'library' | 'credentialBuffer' | 'isHabit'>;

/** Maximum number of subscriptions to typing indicators, which the network limits. */
const MOST = 100;
const PAUSE_MS = 1_000;

/** Subscribes to typing indicators of one person per second while the device appears online. */
export class Appearance {
  readonly #parts: Parts;
  readonly #known = new Set<string>();
  #waiting: string[] = [];
  #isAvailable = false;
  #cancel: Cancel | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async set(isAvailable: boolean): Promise<void> {
    this.#isAvailable = isAvailable;
    const { socket, creds } = this.#parts;
    // The network requires a name, so the number is used if there is none.
    const name = creds.me.name || phoneOf(creds);
    await socket.sendNode(el('presence', { type: isAvailable ? 'available' : 'unavailable', name: name.replaceAll('@', '') }));
    if (isAvailable) this.#next();
  }

  heard(chat: string): void {
    if (!/@(s\.whatsapp\.net|lid)$/.test(chat) || this.#known.has(chat) || this.#known.size >= MOST) return;
    this.#known.add(chat);
    this.#waiting.push(chat);
    if (this.#isAvailable) this.#next();
  }

  end(): void {
    this.#isAvailable = false;
    this.#cancel?.();
  }

  #next(): void {
    if (this.#cancel || !this.#isAvailable) return;
    const chat = this.#waiting.shift();
    if (chat === undefined) return;
    const { clock } = this.#parts;
    this.#cancel = clock.after(PAUSE_MS, () => {
      this.#cancel = null;
      this.#next();
    });
    attempt(this.#parts, 'asking whether somebody writes', () => this.#subscribe(chat));
  }

  async #subscribe(chat: string): Promise<void> {
    const { socket, addressing } = this.#parts;
    const [to, lid] = [await addressing.known(chat), (await addressing.hiddenOf(chat)) ?? null];
    const token = await tokenOf(this.#parts, to, lid);
    const tokens = (await tokenNodes(this.#parts, null, token)).filter(({ tag }) => tag === 'tctoken');
    await socket.sendNode(el('presence', { type: 'subscribe', to }, tokens));
  }
}
