import { seededRandom } from '../../runtime/random.ts';
import type { Callers } from './callers.ts';
import type { Ledger } from './ledger.ts';
import type { SimTenant } from './tenants.ts';
import type { World } from './world.ts';

/**
 * Steps of a named plan, which replays a finding. A seed has another history after each change of the code. Steps name
 * what the finding needs, so they keep their meaning. All of them concern the first tenant.
 */
export type Step = { readonly afterS: number } & (
  | { readonly do: 'stumble'; readonly table: string; readonly method: string; readonly forS: number }
  | { readonly do: 'startCampaign' | 'cancelCampaign'; readonly name: string }
  | { readonly do: 'optOut'; readonly person: number }
  | { readonly do: 'dropDevice'; readonly forS: number }
  | { readonly do: 'killStumbled' }
  | { readonly do: 'send'; readonly key: string; readonly expiresInS: number }
);

const LOOKS_EVERY_MS = 5;

export class Steps {
  readonly #world: World;
  readonly #callers: Callers;
  readonly #ledger: Ledger;
  readonly #tenant: SimTenant;
  readonly #random;
  #stumbled = '';
  /** Messages sent with a key: the request, which is repeated unchanged, and the id in the first response. */
  readonly #sent = new Map<string, { readonly body: object; readonly id: string }>();

  constructor(world: World, callers: Callers, ledger: Ledger, [tenant]: readonly SimTenant[]) {
    this.#world = world;
    this.#callers = callers;
    this.#ledger = ledger;
    this.#tenant = tenant!;
    this.#random = seededRandom(world.seed);
  }

  async take(step: Step): Promise<void> {
    this.#world.history.note(`step: ${JSON.stringify(step)}`);
    switch (step.do) {
      case 'stumble':
        return this.#stumble(step.table, step.method, step.forS * 1_000);
      case 'startCampaign':
        return this.#startCampaign(step.name);
      case 'cancelCampaign':
        return this.#cancelCampaign(step.name);
      case 'optOut':
        return this.#optOut(step.person);
      case 'dropDevice':
        return this.#world.sandbox.device(this.#tenant.devices[0]!.phone).fault({ kind: 'drop', forMs: step.forS * 1_000 });
      case 'send':
        return this.#send(step.key, step.expiresInS);
      case 'killStumbled':
        return this.#world
          .running()
          .find(({ process }) => process.name === this.#stumbled)!
          .process.kill();
    }
  }

  /** Freezes the first process that makes such a write, so that the write arrives late. */
  async #stumble(table: string, method: string, ms: number): Promise<void> {
    const { stumbles } = this.#world;
    const names = this.#world.running().map(({ process }) => process.name);
    for (const name of names) stumbles.set(name, { table, method, ms });
    while (names.every((name) => stumbles.has(name))) await this.#world.pause(LOOKS_EVERY_MS);
    this.#stumbled = names.find((name) => !stumbles.has(name)) ?? '';
    for (const name of names) stumbles.delete(name);
  }

  async #startCampaign(name: string): Promise<void> {
    const { id: tenant, devices, people } = this.#tenant;
    const text = `sale ${name}`;
    const recipients = people.map((phone) => ({ phone }));
    const body = { session_id: devices[0]?.id, name, message_type: 'text', body: text, recipients };
    const made = await this.#ask('POST', '/v1/blasts', `make-${name}`, body);
    const one = { tenant, text, id: made.id, people, madeAt: 0, excluded: [], started: false, cancelled: false };
    this.#ledger.campaigns.push(one);
    await this.#ask('POST', `/v1/blasts/${one.id}/start`, `start-${name}`, { consent_attested: true });
    one.started = true;
  }

  async #cancelCampaign(name: string): Promise<void> {
    const one = this.#ledger.campaigns.find(({ text }) => text === `sale ${name}`)!;
    await this.#ask('POST', `/v1/blasts/${one.id}/cancel`, `cancel-${name}`);
    one.cancelled = true;
  }

  async #send(key: string, expiresInS: number): Promise<void> {
    const { devices, people } = this.#tenant;
    const expiresAt = this.#world.time.now() + expiresInS * 1_000;
    const first = this.#sent.get(key);
    const body = first?.body ?? { chat_id: `+${people[0]}`, type: 'text', body: `text number ${key}`, expires_at: expiresAt };
    const { id } = await this.#ask('POST', `${devices[0]?.path}/messages`, key, body);
    if (first && first.id !== id) this.#world.history.violated('one key, one id', `${key} made ${first.id} and ${id}`);
    this.#sent.set(key, { body, id });
  }

  async #optOut(person: number): Promise<void> {
    await this.#ask('PUT', `/v1/consent/${this.#tenant.people[person]}`, `opt-out-${person}`, { status: 'opted_out' });
  }

  async #ask(method: string, path: string, key: string, body?: object) {
    const ok = [200, 201, 202];
    const answer = await this.#callers.insist(this.#random, { tenant: this.#tenant, method, path, key, ok, ...(body && { body }) });
    if (answer && ok.includes(answer.status)) return answer.body;
    throw new Error(`the step ${key} was answered ${answer?.status} ${JSON.stringify(answer?.body)}`);
  }
}
