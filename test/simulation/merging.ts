import { lidOf } from '../../actors/network/sandbox/addresses.ts';
import type { PhoneHandle } from '../../actors/network/sandbox/sandbox.ts';
import { addressOf } from '../../actors/network/subject.ts';
import { seededRandom } from '../../runtime/random.ts';
import { aCluster, type Cluster, type ClusterNode, type Fleet } from '../support/cluster.ts';
import type { Answer, Api } from '../support/gateway.ts';
import type { Scope, StoreKind } from '../support/stores.ts';

/**
 * Simulates many people with two to four forms each (numbers and hidden addresses) on two nodes. The network discloses
 * the forms in random order while the people write, opt out and receive campaigns. One seed decides everything. `play`
 * returns all broken promises: marketing to a person who had opted out under any form; a text that is missing from all
 * chats of its person; a person with two chats on one device; a person without exactly one contact.
 */
export interface MergingRun {
  readonly seed: number;
  readonly people: number;
  readonly rounds: number;
}

type Body = Answer['body'];

interface Somebody {
  readonly name: string;
  /** Numbers under which they can be dialled, the registered one first. */
  numbers: string[];
  readonly isHidden: boolean;
  readonly changesTo: string | null;
  /** Round in which they opted out; null if they did not. */
  outSince: number | null;
  /** Texts that they wrote, by device. */
  readonly wrote: Map<string, string[]>;
}

/** Disables the complaint limits, which would pause a campaign because of many opt-outs. */
const NO_BOUNDS = { complaint_limits: { opt_outs: null, blocks: null, first_contacts: null, lookups: null } };
/** Every campaign of a round goes to half of the people. */
const CAMPAIGNS = 2;
const PEOPLE_AT_ONCE = 200;

export async function play(scope: Scope, kind: StoreKind, { seed, people: count, rounds }: MergingRun): Promise<readonly string[]> {
  const cluster = await aCluster(scope, kind, NO_BOUNDS);
  const nodes = [await cluster.node('a'), await cluster.node('b')] as const;
  const fleet = await cluster.fleet(2, ...nodes);
  const world = new World(cluster, nodes, fleet, seed);
  await world.begin(count);
  for (let round = 1; round <= rounds; round += 1) await world.round(round);
  return world.end(rounds);
}

/** Returns all numbers and hidden addresses. */
const formsOf = ({ numbers }: Somebody): readonly string[] => [...numbers, ...numbers.map(lidOf)];

class World {
  readonly #cluster: Cluster;
  readonly #fleet: Fleet;
  readonly #apis: readonly Api[];
  readonly #node: ClusterNode;
  readonly #random: () => number;
  readonly #people: Somebody[] = [];
  readonly #broken: string[] = [];
  #written = 0;

  constructor(cluster: Cluster, nodes: readonly [ClusterNode, ClusterNode], fleet: Fleet, seed: number) {
    this.#cluster = cluster;
    this.#fleet = fleet;
    this.#node = nodes[0];
    this.#apis = nodes.map((node) => fleet.at(node));
    this.#random = seededRandom(seed);
  }

  async begin(count: number): Promise<void> {
    await this.#ask(200, 'PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    for (let nth = 0; nth < count; nth += 1) this.#people.push(this.#somebody(nth));
    const rows = this.#people.filter(() => this.#random() < 0.5).map((one) => ({ phone: `+${this.#one(one.numbers)}`, name: one.name }));
    if (rows.length === 0) return;
    const { id } = await this.#ask(202, 'POST', '/v1/contacts/import', { rows });
    await this.#until('the import is done', async () => (await this.#ask(200, 'GET', `/v1/contacts/imports/${id}`)).status === 'done');
  }

  /** Runs one round: each person acts at random, then a campaign goes to everyone while more forms are disclosed. */
  async round(round: number): Promise<void> {
    for (const one of this.#shuffled()) await this.#act(one, round);
    await this.#until('all texts are stored', async () => (await this.#stored()) === this.#written);
    const blasts = await this.#campaign(round);
    for (const one of this.#shuffled()) if (this.#random() < 0.2) this.#reveal(one);
    for (const id of blasts)
      await this.#until('the campaign is over', async () => (await this.#ask(200, 'GET', `/v1/blasts/${id}`)).status === 'completed');
    for (const one of this.#people) this.#expectNoMarketing(one, round);
  }

  /** Discloses all remaining forms, so that separate records must have been merged. */
  async end(rounds: number): Promise<readonly string[]> {
    for (const one of this.#shuffled()) {
      this.#phone(one).set({ tellsNumber: true });
      this.#write(one, this.#device(), `last of ${one.name}`);
    }
    await this.#until('all texts are stored', async () => (await this.#stored()) === this.#written);
    // A send to each form of a number makes the gateway query the network about it.
    for (const [nth, one] of this.#people.entries()) {
      for (const number of one.numbers)
        await this.#ask(202, 'POST', `${this.#device().path}/messages`, { chat_id: `+${number}`, type: 'text', body: 'bye' });
      // The clock waits at most two minutes for all messages that leave at one moment.
      if (nth % PEOPLE_AT_ONCE === PEOPLE_AT_ONCE - 1) await this.#cluster.clock.advance(1_000);
    }
    await this.#cluster.clock.advance(120_000);
    for (const one of this.#people) this.#expectNoMarketing(one, rounds + 1);
    await this.#expectOneContactEach();
    await this.#expectAllChats();
    return this.#broken;
  }

  #somebody(nth: number): Somebody {
    const number = (form: number): string => `62812${form}${String(1_000_000 + nth).padStart(7, '0')}`;
    const [isHidden, isDialled, changes] = [nth % 2 === 0, nth % 3 !== 0, nth % 4 === 1];
    const second = isDialled || (!isHidden && !changes) ? [number(2)] : [];
    const numbers = [number(1), ...second, ...(nth % 5 === 0 ? [number(4)] : [])];
    const phone = this.#cluster.sandbox.phone(number(1));
    phone.set({ name: `Person ${nth}`, lid: isHidden, tellsNumber: !isHidden, numberForms: numbers.slice(1) });
    return { name: `Person ${nth}`, numbers, isHidden, changesTo: changes ? number(3) : null, outSince: null, wrote: new Map() };
  }

  async #act(one: Somebody, round: number): Promise<void> {
    const what = this.#random();
    if (what < 0.35) this.#write(one, this.#device(), `${one.name} in ${round}`);
    else if (what < 0.5) {
      this.#write(one, this.#device(), 'STOP');
      one.outSince ??= round;
    } else if (what < 0.65) this.#reveal(one);
    else if (what < 0.75) {
      const { status, body } = await this.#api()('POST', `${this.#device().path}/messages`, {
        chat_id: `+${this.#one(one.numbers)}`,
        type: 'text',
        body: 'hello',
      });
      if (status !== 202) this.#broken.push(`a reply to ${one.name}: ${status} ${JSON.stringify(body)}`);
    } else if (what < 0.8 && one.changesTo !== null && !one.numbers.includes(one.changesTo)) this.#change(one, one.changesTo);
  }

  /** Discloses the number of a person whom devices know only by hidden address. */
  #reveal(one: Somebody): void {
    if (one.isHidden) this.#phone(one).set({ tellsNumber: true });
  }

  #change(one: Somebody, to: string): void {
    const [former = '', ...dialled] = one.numbers;
    this.#phone(one).act({ act: 'change_number', to });
    this.#cluster.sandbox.phone(to).set({ numberForms: dialled });
    one.numbers = [to, former, ...dialled];
  }

  #write(one: Somebody, device: { readonly id: string; readonly phone: string }, body: string): void {
    this.#phone(one).write({ to: device.phone, content: { type: 'text', body } });
    this.#written += 1;
    one.wrote.set(device.id, [...(one.wrote.get(device.id) ?? []), body]);
  }

  async #campaign(round: number): Promise<readonly string[]> {
    const phones = this.#shuffled().map((one) => {
      const [registered = ''] = one.numbers;
      const forms = [...one.numbers.map((number) => `+${number}`), ...(one.isHidden ? [lidOf(registered)] : [])];
      return { phone: this.#one(forms) };
    });
    const ids: string[] = [];
    const listed = Math.ceil(phones.length / CAMPAIGNS);
    for (let from = 0; from < phones.length; from += listed) {
      // At most five new campaigns are allowed in a minute.
      await this.#cluster.clock.advance(60_000);
      const draft = { session_id: this.#device().id, name: `Sale ${round}`, message_type: 'text', body: `SALE ${round}` };
      const { id } = await this.#ask(201, 'POST', '/v1/blasts', { ...draft, recipients: phones.slice(from, from + listed) });
      await this.#ask(200, 'POST', `/v1/blasts/${id}/start`, { consent_attested: true });
      ids.push(id);
    }
    return ids;
  }

  #expectNoMarketing(one: Somebody, round: number): void {
    const { outSince } = one;
    if (outSince === null) return;
    const received = one.numbers.flatMap((number) => this.#textsOn(number)).flatMap((text) => /^SALE (\d+)$/.exec(text)?.[1] ?? []);
    const late = received.filter((nth) => Number(nth) >= outSince && Number(nth) <= round);
    const said = `${one.name} (${one.numbers.join()}) opted out in ${outSince} and got the campaigns ${[...new Set(late)].join()}`;
    if (late.length > 0 && !this.#broken.includes(said)) this.#broken.push(said);
  }

  async #expectOneContactEach(): Promise<void> {
    const contacts = Map.groupBy(await this.#all('/v1/contacts', 'contacts'), ({ phone, lid }) => phone ?? lid);
    for (const one of this.#people) {
      const own = formsOf(one).flatMap((form) => contacts.get(form) ?? []);
      if (own.length !== 1 || own[0]?.phone !== one.numbers[0])
        this.#broken.push(
          `${one.name} (${one.numbers.join()}) is ${own.length} contacts: ${own.map(({ phone, lid }) => phone ?? lid).join()}`,
        );
    }
  }

  async #expectAllChats(): Promise<void> {
    for (const device of this.#fleet.devices) {
      const chats = new Set((await this.#all(`${device.path}/chats`, 'chats')).map(({ chat_id }) => chat_id));
      const messages = Map.groupBy(await this.#all(`${device.path}/messages`, 'messages'), ({ chat_id }) => chat_id);
      for (const one of this.#people) {
        const addresses = formsOf(one).map(addressOf);
        const own = addresses.filter((address) => chats.has(address));
        if (own.length > 1) this.#broken.push(`${one.name} has the chats ${own.join()} on ${device.phone}`);
        const found = addresses.flatMap((address) => messages.get(address) ?? []);
        const here = found.filter(({ direction }) => direction === 'inbound').map(({ body }) => body);
        const wrote = one.wrote.get(device.id) ?? [];
        if (here.toSorted().join() !== wrote.toSorted().join())
          this.#broken.push(`${one.name} wrote ${wrote.join()} to ${device.phone}, which shows ${here.join()}`);
      }
    }
  }

  async #all(path: string, name: string): Promise<readonly Body[]> {
    const found: Body[] = [];
    for (let next = ''; ; ) {
      const body = await this.#ask(200, 'GET', `${path}?limit=200${next}`);
      found.push(...body[name]);
      if (body.next_before === null) return found;
      next = `&before=${body.next_before}&before_id=${body.next_before_id}`;
    }
  }

  #textsOn(number: string): readonly string[] {
    return this.#cluster.sandbox
      .phone(number)
      .messages(500)
      .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));
  }

  #phone = ({ numbers: [registered = ''] }: Somebody): PhoneHandle => this.#cluster.sandbox.phone(registered);
  #stored = (): Promise<number> =>
    this.#node.store
      .collection({ name: 'messages', indexes: [] })
      .countDocuments({ direction: 'inbound', session_id: { $in: this.#fleet.devices.map(({ id }) => id) } });
  #until = (what: string, check: () => Promise<boolean>): Promise<unknown> => this.#cluster.waited(what, check);
  #device = () => this.#one(this.#fleet.devices);
  #api = (): Api => this.#one(this.#apis);
  #shuffled = (): readonly Somebody[] =>
    this.#people
      .map((one) => [this.#random(), one] as const)
      .toSorted(([one], [other]) => one - other)
      .map(([, one]) => one);

  #one<T>(of: readonly T[]): T {
    const found = of[Math.floor(this.#random() * of.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }

  async #ask(status: number, method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.#api()(method, path, body);
    if (answer.status !== status) throw new Error(`${method} ${path} → ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
