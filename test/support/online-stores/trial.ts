import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Random, seededRandom } from '../../../runtime/random.ts';
import { aCluster, type Cluster, type ClusterNode } from '../cluster.ts';
import type { Scope, StoreKind } from '../stores.ts';
import { Ledger, type Shown, TEMPLATES } from './ledger.ts';
import { OTHER_NUMBER, shopifyLife, wooLife } from './lives.ts';
import type { Delivery, StoreConnection } from './platform.ts';
import { ShopifyStore } from './shopify.ts';
import { WooCommerceStore } from './woocommerce.ts';

export interface Trial {
  readonly kind: StoreKind;
  /** Number of customers, half on each platform. */
  readonly customers: number;
  readonly kills: number;
  readonly seed: number;
}

export interface TrialVerdict {
  readonly orders: number;
  readonly deliveries: number;
  readonly kills: number;
  readonly repeated: number;
  /** Deliveries that WooCommerce tried once and did not repeat. */
  readonly lost: number;
  readonly messages: number;
  readonly isWooActive: boolean;
  /** Sentences about messages that are duplicated, missing, unjustified, or later than the purchase. */
  readonly wrong: readonly string[];
}

const SECRET = 'the signing key of a shopify store';
const MINUTE = 60_000;
/** Interval between customers, in ms, so that webhooks stay below a store's limit per minute. */
const APART_MS = 3_600;
const DELAY_MIN = 15;
/** Time after the last webhook for the last reminder and for the unfinished work of a killed node. */
const SETTLED_AFTER_MS = (DELAY_MIN + 6) * MINUTE;
const DOWN_MS = 20_000;
const STEP_MS = 500;
/** Virtual ms per real ms while a request waits. */
const PATIENCE_MS = 2;

/** Runs two nodes and two stores with customers who buy at random while nodes are killed. */
export async function runTrial(scope: Scope, { kind, customers, kills, seed }: Trial): Promise<TrialVerdict> {
  const cluster = await aCluster(scope, kind);
  const balancer = diceOf(seed, 'balancer');
  const nodes = new Map<string, ClusterNode>();
  for (const id of ['a', 'b']) nodes.set(id, await cluster.node(id));
  const first = nodes.get('a')!;
  const { tenant, devices } = await cluster.fleet(1, first);
  const api = first.as(tenant.tokens.token);
  await api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false }, send_window: { enabled: false } });
  const ledger = new Ledger();

  async function connected(platform: string, ended: (delivery: Delivery) => void): Promise<StoreConnection> {
    const order = { platform, name: 'Toko', session_id: devices[0]!.id, ...(platform === 'platform_a' && { secret: SECRET }) };
    const { integration, secret = SECRET } = (await api('POST', '/v1/store-integrations', order)).body;
    await api('PUT', `/v1/store-integrations/${integration.id}`, { templates: TEMPLATES, abandoned_delay_min: DELAY_MIN });
    const { pathname } = new URL(integration.webhook_url);
    // Picks a random running node, as a load balancer does.
    const url = (): URL => new URL(pathname, [...nodes.values()][Math.floor(balancer() * nodes.size)]!.node.url);
    return { clock: cluster.clock, random: diceOf(seed, platform), secret, url, ended };
  }
  const shopify = new ShopifyStore(await connected('platform_a', (delivery) => ledger.shopify(delivery)));
  const woo = new WooCommerceStore(await connected('platform_b', (delivery) => ledger.woo(delivery)));
  await passing(cluster, woo.activate());

  const { clock } = cluster;
  const startedAt = clock.now();
  let lastAt = startedAt;
  for (let nth = 1; nth <= customers; nth += 1) {
    clock.after(nth * APART_MS, () => {
      const life = { clock, random: diceOf(seed, `customer ${nth}`), nth };
      lastAt = Math.max(lastAt, clock.now() + (nth % 2 ? shopifyLife(life, shopify) : wooLife(life, woo)));
    });
  }
  lastAt = Math.max(lastAt, startedAt + customers * APART_MS);
  // The first kill happens while customers still arrive, so that its store has more to report.
  const until = (nth: number): number => customers * APART_MS + (nth === 0 ? 0 : 20 * MINUTE);
  const random = diceOf(seed, 'deaths');
  const deaths = Array.from({ length: kills }, (_, nth) => startedAt + random() * until(nth)).toSorted((x, y) => x - y);

  let killed = 0;
  let moment: Moment | null = null;
  for (let settledAt = Number.POSITIVE_INFINITY; clock.now() < settledAt; ) {
    if (clock.now() >= (deaths[killed] ?? Number.POSITIVE_INFINITY)) moment ??= inARequest(nodes, random, killed % 2);
    if (moment && (moment.isNow || (clock.now() > lastAt && shopify.open === 0))) {
      killed += 1;
      await dies(cluster, nodes, moment.id);
      moment = null;
    }
    await step(cluster, shopify.inFlight + woo.inFlight > 0);
    const isTold = clock.now() > lastAt && shopify.open + woo.open === 0 && killed === kills;
    settledAt = isTold ? Math.min(settledAt, clock.now() + SETTLED_AFTER_MS) : Number.POSITIVE_INFINITY;
  }
  const shown = shownTo(cluster, customers);
  return {
    orders: ledger.orders,
    deliveries: ledger.deliveries,
    kills: killed,
    repeated: shopify.repeated,
    lost: woo.lost,
    messages: shown.length,
    isWooActive: woo.isActive,
    wrong: [...ledger.wrong(shown), ...(shopify.givenUp > 0 ? [`Shopify gave up on ${shopify.givenUp} webhooks`] : [])],
  };
}

/**
 * Returns a separate random stream for each name. A customer's actions and Shopify's delays then depend only on the
 * seed, not on the real time that nodes take.
 */
const diceOf = (seed: number, whose: string): Random => seededRandom(hash('sha256', `${seed} ${whose}`, 'buffer').readUInt32LE());

/** The time of a node's kill. */
interface Moment {
  readonly id: string;
  isNow: boolean;
}

const ANSWERED_WITHIN_TURNS = 60;

/**
 * Waits until a node has received a Shopify webhook but not answered it. `late: 0`: immediately; otherwise after a
 * random number of event-loop ticks, during which the webhook may be stored.
 */
function inARequest(nodes: ReadonlyMap<string, ClusterNode>, random: Random, late: number): Moment {
  const [id, { node }] = [...nodes][Math.floor(random() * nodes.size)]!;
  const { listener } = node.http;
  const moment: Moment = { id, isNow: false };
  let turns = late * Math.floor(random() * ANSWERED_WITHIN_TURNS);
  const received = ({ headers }: IncomingMessage): void => {
    if (headers['x-shopify-topic'] === undefined) return;
    listener.off('request', received);
    const cut = (): void => {
      if (turns-- > 0) return void setImmediate(cut);
      listener.closeAllConnections();
      moment.isNow = true;
    };
    cut();
  };
  listener.on('request', received);
  return moment;
}

/** Kills a node and restarts it a little later. */
async function dies(cluster: Cluster, nodes: Map<string, ClusterNode>, id: string): Promise<void> {
  const node = nodes.get(id)!;
  nodes.delete(id);
  await node.kill();
  await cluster.clock.advance(DOWN_MS);
  nodes.set(id, await cluster.node(id));
}

/** Advances virtual time, but only slowly while requests are pending, because sockets need real time. */
async function step({ clock }: Cluster, isWaiting: boolean): Promise<void> {
  if (!isWaiting) return clock.advance(STEP_MS);
  await clock.advance(PATIENCE_MS);
  await new Promise((resolve) => setTimeout(resolve, 1));
}

async function passing<T>(cluster: Cluster, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) await step(cluster, true);
  return work;
}

/** Returns what is shown on every phone that a customer or a parcel's recipient may have. */
function shownTo({ sandbox }: Cluster, customers: number): readonly Shown[] {
  const numbers = Array.from({ length: customers }, (_, nth) => nth + 1).flatMap((nth) => [nth, nth + OTHER_NUMBER]);
  const phones = numbers.map((nth) => String(nth).padStart(6, '0')).flatMap((own) => [`628123${own}`, `6591${own}`]);
  return phones.flatMap((digits) =>
    sandbox
      .phone(digits)
      .messages(100)
      .flatMap(({ content, at }) => (content.type === 'text' ? { text: content.body, at } : [])),
  );
}
