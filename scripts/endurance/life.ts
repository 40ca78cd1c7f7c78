import { pause, systemClock } from '../../runtime/clock.ts';
import { at as valueAt } from '../../runtime/invariant.ts';
import { oneOf, type Random } from '../../runtime/random.ts';
import { isOnPeer } from '../chaos/both-networks.ts';
import type { Device, World } from '../chaos/world.ts';
import type { Answer } from '../faults/caller.ts';

/** `to` consists of digits. Each text in a run is unique. */
export interface Text {
  readonly to: string;
  readonly body: string;
  readonly isOnPeer: boolean;
}

export interface Send extends Text {
  readonly status: number | null;
}

export interface Ledger {
  readonly sends: Send[];
  readonly written: string[];
  readonly campaigns: Send[];
}

export interface LifeRates {
  readonly sends: number;
  readonly writes: number;
  readonly campaignEveryMs: number;
}

const CALLERS = 8;
const WRITERS = 4;
/** People are replaced after TEXTS_EACH texts, because simulated phones cannot store a year of texts. */
const PEOPLE = 30;
const TEXTS_EACH = 100;
const AUDIENCE = 15;

export class Life {
  readonly ledger: Ledger = { sends: [], written: [], campaigns: [] };
  readonly #world: World;
  readonly #random: Random;
  #isOn = false;
  #serial = 0;
  #people: Promise<unknown> = Promise.resolve();

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  start({ sends, writes, campaignEveryMs }: LifeRates): void {
    this.#isOn = true;
    const many = (count: number, perSecond: number, turn: () => Promise<void>) =>
      Array.from({ length: count }, () => this.#again((count / perSecond) * 1_000, turn));
    this.#people = Promise.all([
      ...many(CALLERS, sends, () => this.#send()),
      ...many(WRITERS, writes, () => this.#write()),
      this.#again(campaignEveryMs / 1.5, () => this.#campaign()),
    ]);
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#people;
  }

  async #again(meanMs: number, turn: () => Promise<void>): Promise<void> {
    while (this.#isOn) {
      await pause(systemClock, meanMs * (0.5 + this.#random()));
      if (this.#isOn) await turn();
    }
  }

  async #send(): Promise<void> {
    const device = oneOf(this.#world.devices, this.#random);
    const nth = this.#next();
    const to = String(6_281_200_000_000 + (nth % PEOPLE) + PEOPLE * Math.floor(nth / (PEOPLE * TEXTS_EACH)));
    const text: Text = { to, body: `out ${nth}`, isOnPeer: isOnPeer(device.id) };
    const answer = await this.#asked('POST', `/v1/sessions/${device.id}/messages`, { ...messageOf(text), connect_only: false });
    this.ledger.sends.push({ ...text, status: answer?.status ?? null });
  }

  async #write(): Promise<void> {
    const device = oneOf(this.#world.devices, this.#random);
    const body = `in ${this.#next()}`;
    const writer = String(6_289_900_000_000 + Math.floor(this.#random() * PEOPLE));
    if (await this.#isWritten(device, writer, body)) this.ledger.written.push(body);
  }

  async #isWritten({ id, phone }: Device, writer: string, body: string): Promise<boolean> {
    const { peer, sandbox } = this.#world;
    if (peer && isOnPeer(id)) return (await peer.write(writer, phone, body)) !== '';
    return (await sandbox('POST', `/sandbox/phones/${writer}/messages`, { to: phone, body })).status === 201;
  }

  async #campaign(): Promise<void> {
    const device = oneOf(this.#world.devices, this.#random);
    const nth = this.#next();
    const draft = { session_id: device.id, name: `Campaign ${nth}`, message_type: 'text', body: `campaign ${nth} {var1}` };
    const made = await this.#asked('POST', '/v1/blasts', draft);
    if (made?.status !== 201) return;
    const first = 6_281_500_000_000 + AUDIENCE * (nth % PEOPLE);
    const phones = Array.from({ length: AUDIENCE }, (_, i) => String(first + i));
    const path = `/v1/blasts/${made.body.id}`;
    const listed = await this.#asked('POST', `${path}/recipients`, {
      recipients: phones.map((phone) => ({ phone: `+${phone}`, var1: phone })),
    });
    if (listed?.status !== 200) return;
    const started = await this.#asked('POST', `${path}/start`, {});
    const texts = phones.map((to): Text => ({ to, body: `campaign ${nth} ${to}`, isOnPeer: isOnPeer(device.id) }));
    this.ledger.campaigns.push(...texts.map((text) => ({ ...text, status: started?.status ?? null })));
  }

  async #asked(method: string, path: string, body: object): Promise<Answer | null> {
    const { running } = this.#world;
    const gateway = running.length > 0 ? valueAt(running, Math.floor(this.#random() * running.length)) : null;
    return gateway?.call(method, path, body).catch(() => null) ?? null;
  }

  #next(): number {
    this.#serial += 1;
    return this.#serial;
  }
}

const messageOf = ({ to, body }: Text) => ({ chat_id: to, type: 'text', body });
