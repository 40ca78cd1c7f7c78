import type { BucketRow } from '../../store/analytics/bucket-row.ts';
import type { AuditRow } from '../../store/audit/entry.ts';
import type { CampaignRow } from '../../store/campaigns/campaigns.ts';
import type { RecipientRow } from '../../store/campaigns/recipients.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';
import type { EventRow } from '../../store/events/events.ts';
import type { MessageRow } from '../../store/messaging/message-row.ts';
import type { ScheduledRow } from '../../store/scheduling/scheduled.ts';
import type { DeliveryRow } from '../../store/webhooks/deliveries.ts';
import type { Ledger, Outgoing, SimCampaign } from './ledger.ts';
import type { SimTenant } from './tenants.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const SENT: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);
const USES_QUOTA: ReadonlySet<string> = new Set(['queued', 'sending', ...SENT]);
/** Attempts per delivery: the first and four retries. */
const MOST_ATTEMPTS = 5;
/** Time in which a newly started node finds its pending work. */
const UNTIL_CALM_MS = 2 * MINUTE;
const MOST_LATE_MS = 20_000;
/** Texts that a phone may receive at most once. */
const OURS = /^(Toko: )?(text number|sale) /;

interface Rows {
  messages: MessageRow;
  scheduled: ScheduledRow;
  campaigns: CampaignRow;
  campaign_recipients: RecipientRow;
  devices: DeviceRow;
  deliveries: DeliveryRow;
  events: EventRow;
  analytics_buckets: BucketRow;
  audit: AuditRow;
  usage: { readonly _id: string; readonly tenant_id: string; readonly messages: number };
  tenants: { readonly _id: string; readonly phone: string };
}

/** Compares callers' results, phones and receivers with each other and with the store. */
export class Verdict {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #tenants: readonly SimTenant[];
  readonly #doubled = new Set<string>();

  constructor(world: World, ledger: Ledger, tenants: readonly SimTenant[]) {
    this.#world = world;
    this.#ledger = ledger;
    this.#tenants = tenants;
  }

  /** Checks safety from time to time: duplicate messages. */
  lookAtPhones(): void {
    for (const phone of this.#tenants.flatMap(({ people }) => people)) {
      const seen = new Map<string, number>();
      for (const text of this.#textsOn(phone)) if (OURS.test(text)) seen.set(text, (seen.get(text) ?? 0) + 1);
      for (const [text, times] of seen) {
        if (times < 2 || this.#doubled.has(`${phone} ${text}`)) continue;
        this.#doubled.add(`${phone} ${text}`);
        this.#violated('one copy at most', `${phone} got "${text}" ${times} times`);
      }
    }
  }

  /** Returns everything that is still pending and must complete after the faults. */
  open(): readonly string[] {
    const outgoing = this.#rows('messages').filter(({ direction }) => direction === 'outbound');
    const own = this.#tenants.flatMap(({ devices }) => devices).map(({ id }) => id);
    return [
      ...outgoing
        .filter(({ status }) => status === 'queued' || status === 'sending')
        .map(({ _id, status }) => `message ${_id} is ${status}`),
      ...this.#rows('messages')
        .filter(({ outbox_pending }) => outbox_pending)
        .map(({ _id }) => `the outbox of ${_id} is pending`),
      ...this.#rows('analytics_buckets')
        .filter(({ dirty_at }) => (dirty_at ?? null) !== null)
        .map(({ _id }) => `figures of ${_id} are not counted`),
      ...this.#rows('devices')
        .filter(({ _id, status }) => own.includes(_id) && status !== 'connected')
        .map(({ _id, status, reason }) => `device ${_id} is ${status} (${reason})`),
      ...this.#rows('scheduled')
        .filter(({ due_at, status }) => due_at !== null && !['sent', 'failed', 'cancelled'].includes(status))
        .map(({ _id, status }) => `scheduled ${_id} is ${status}`),
      ...this.#rows('campaigns')
        .filter(({ status }) => status === 'running')
        .map(({ _id }) => `campaign ${_id} is running`),
      ...(this.#world.sandbox.official.hooks.pending > 0 ? ['webhooks of the platform are under way'] : []),
    ];
  }

  /** Gives the final verdict, once nothing is pending. */
  give(): void {
    this.lookAtPhones();
    for (const one of this.#ledger.outgoing) {
      if (one.kind === 'scheduled') this.#ofScheduled(one);
      else this.#ofMessage(one);
    }
    this.#ofIncoming();
    this.#ofCampaigns();
    this.#ofNewcomers();
    for (const tenant of this.#tenants) {
      this.#ofUsage(tenant);
      this.#ofFigures(tenant);
      this.#ofEvents(tenant);
      this.#ofAudit(tenant);
    }
    this.#ofDeliveries();
  }

  #ofMessage(one: Outgoing): void {
    const copies = this.#copies(one.to, one.text);
    if (one.id === null) {
      if (one.refused !== null && copies > 0) this.#violated('refused is not sent', `${one.key} was refused (${one.refused}), and came`);
      return;
    }
    const row = this.#row('messages', one.id);
    if (!row) return this.#violated('accepted is kept', `${one.key} was accepted, and is not there`);
    if (SENT.has(row.status) && copies !== 1)
      this.#violated('sent is on the phone', `${one.key} is ${row.status}, and ${copies} copies came`);
    if (row.status === 'failed' && row.error !== 'unknown_outcome' && copies > 0)
      this.#violated('failed is not on the phone', `${one.key} failed (${row.error}), and came`);
    if (one.cancelled && copies > 0) this.#violated('cancelled is final', `${one.key} was cancelled, and came`);
    if (row.status === 'failed') this.#world.history.remark(`failed: ${row.error}`);
    if (SENT.has(row.status) && !this.#wasHooked('message.sent', one.id)) this.#world.history.remark('no message.sent came to a webhook');
  }

  #ofScheduled(one: Outgoing): void {
    const copies = this.#copies(one.to, one.text);
    if (one.refused !== null && copies > 0) this.#violated('refused is not sent', `${one.key} was refused (${one.refused}), and came`);
    if (one.cancelled && copies > 0) this.#violated('cancelled is final', `${one.key} was cancelled, and came`);
    if (one.id === null || one.gaveUp) return;
    const row = this.#row('scheduled', one.id);
    if (!row) return this.#violated('accepted is kept', `${one.key} was accepted, and is not there`);
    const message = row.message_id === null ? undefined : this.#row('messages', row.message_id);
    const lateMs = (message?.created_at ?? 0) - row.scheduled_at;
    if (row.scheduled_at > this.#world.peaceAt + UNTIL_CALM_MS && lateMs > MOST_LATE_MS)
      this.#violated('scheduled messages leave in time', `${one.key} left ${lateMs} ms late`);
    if (row.status === 'sent' && copies !== 1 && message?.status !== 'failed')
      this.#violated('sent is on the phone', `${one.key} is sent, and ${copies} copies came (${message?.status} ${message?.error})`);
  }

  #ofIncoming(): void {
    const received = this.#rows('messages').filter(({ direction }) => direction === 'inbound');
    for (const { tenant, from, text } of this.#ledger.incoming.filter((one) => one.text !== 'STOP')) {
      const rows = received.filter((row) => row.tenant_id === tenant && row.body === text && row.chat_id.startsWith(from));
      if (rows.length !== 1) this.#violated('received is stored once', `"${text}" of ${from} is stored ${rows.length} times`);
      const [row] = rows;
      if (row && !this.#wasHooked('message.received', row._id)) this.#world.history.remark('no message.received came to a webhook');
    }
  }

  #ofCampaigns(): void {
    for (const one of this.#ledger.campaigns) {
      for (const phone of one.excluded)
        if (this.#copies(phone, one.text) > 0 && !this.#ledger.mayBeIn(one, phone))
          this.#violated('opted out gets no campaign', `${phone} had opted out, and got "${one.text}"`);
      const row = this.#row('campaigns', one.id);
      if (!row) {
        this.#violated('accepted is kept', `campaign "${one.text}" was made, and is not there`);
        continue;
      }
      this.#ofCounts(one, row);
    }
  }

  #ofCounts(one: SimCampaign, row: CampaignRow): void {
    const people = this.#rows('campaign_recipients').filter(({ blast_id }) => blast_id === one.id);
    const reached = people.filter(({ status }) => SENT.has(status)).length;
    if (row.status === 'completed') {
      const { sent_count, failed_count, skipped_count, total_recipients } = row;
      if (sent_count + failed_count + skipped_count !== total_recipients || sent_count !== reached)
        this.#violated(
          'a campaign counts its people',
          `"${one.text}" counts ${sent_count} + ${failed_count} + ${skipped_count} of ${total_recipients}, ${reached} were reached`,
        );
    }
    for (const { phone, status, error } of people) {
      const copies = this.#copies(phone.replace(/\D/g, ''), one.text);
      if (copies > 0 && !SENT.has(status) && error !== 'unknown_outcome')
        this.#violated('a campaign knows whom it reached', `"${one.text}": ${phone} got it, and is ${status} (${error})`);
      if (copies === 0 && SENT.has(status)) this.#violated('sent is on the phone', `"${one.text}": ${phone} is ${status}, and got nothing`);
    }
  }

  #ofNewcomers(): void {
    for (const { phone, tenants } of this.#ledger.newcomers) {
      const made = this.#rows('tenants').filter((row) => row.phone === phone);
      if (tenants.size > 1 || made.length > 1)
        this.#violated(
          'one sign-up, one account',
          `${phone} has ${tenants.size} accounts by their sign-ins and ${made.length} in the store`,
        );
    }
  }

  /** Usage must not be too low. A crash may leave it too high. */
  #ofUsage({ id, name }: SimTenant): void {
    const usage = this.#rows('usage').find(({ tenant_id }) => tenant_id === id)?.messages ?? 0;
    const outgoing = this.#outgoingOf(id);
    const taken = outgoing.filter(({ status, quota_month }) => USES_QUOTA.has(status) && quota_month !== null).length;
    const failed = outgoing.filter(({ status, quota_month }) => status === 'failed' && quota_month !== null).length;
    if (usage < taken) this.#violated('usage never too low', `usage of ${name} is ${usage}, but ${taken} messages used it`);
    if (usage > taken + failed) this.#world.history.remark('usage counts more than was sent');
  }

  #ofFigures({ id, name }: SimTenant): void {
    const buckets = this.#rows('analytics_buckets').filter(({ tenant_id }) => tenant_id === id);
    const sum = (of: 'sent' | 'received'): number => buckets.reduce((total, { figures }) => total + (figures?.[of] ?? 0), 0);
    const sent = this.#outgoingOf(id).filter(({ status }) => SENT.has(status)).length;
    const received = this.#rows('messages').filter(({ tenant_id, direction }) => tenant_id === id && direction === 'inbound').length;
    if (sum('sent') !== sent || sum('received') !== received)
      this.#violated(
        'figures follow the log',
        `${name} counts ${sum('sent')} sent and ${sum('received')} received, its log has ${sent} and ${received}`,
      );
  }

  #ofEvents({ id, name }: SimTenant): void {
    const events = this.#rows('events').filter(({ tenant_id }) => tenant_id === id);
    const seen = this.#ledger.pulled.get(id);
    const settled = this.#world.time.now() - 2 * MINUTE;
    for (const { _id, type, occurred_at } of events)
      if (occurred_at < settled && !seen?.has(_id)) this.#violated('a puller misses nothing', `${name} never pulled ${type} ${_id}`);
    const told = (type: string, message: string): boolean =>
      events.some((event) => event.type === type && event.data['message_id'] === message);
    for (const { _id, direction, status, body } of this.#rows('messages').filter(({ tenant_id }) => tenant_id === id)) {
      const type = direction === 'inbound' ? 'message.received' : SENT.has(status) ? 'message.sent' : null;
      if (type && !told(type, _id)) this.#violated('each message has its event', `there is no ${type} of "${body}"`);
    }
  }

  #ofDeliveries(): void {
    const late = this.#world.time.now() - 5 * MINUTE;
    for (const { event, attempt, asked_after = 0 } of this.#rows('deliveries'))
      if (attempt - asked_after > MOST_ATTEMPTS) this.#violated('retries end', `a delivery of ${event} was tried ${attempt} times`);
    for (const { event, status, next_attempt_at } of this.#rows('deliveries'))
      if (status === 'pending' && (next_attempt_at ?? 0) < late) this.#violated('deliveries are in time', `a delivery of ${event} is late`);
  }

  #ofAudit({ id, name }: SimTenant): void {
    const chain = this.#rows('audit')
      .filter(({ tenant_id }) => tenant_id === id)
      .sort((a, b) => a.seq - b.seq);
    for (const [nth, { seq, prev }] of chain.entries()) {
      if (seq === nth + 1 && prev === (chain[nth - 1]?.mac ?? '')) continue;
      return this.#violated('the audit chain holds', `that of ${name} breaks at ${seq}`);
    }
  }

  #outgoingOf(tenant: string): readonly MessageRow[] {
    return this.#rows('messages').filter(({ tenant_id, direction }) => tenant_id === tenant && direction === 'outbound');
  }

  #wasHooked(type: string, message: string): boolean {
    return this.#world.hooks.some(({ body, answered }) => answered === 'ok' && body.type === type && body.data?.message_id === message);
  }

  #textsOn(phone: string): readonly string[] {
    return this.#world.sandbox
      .phone(phone)
      .messages(10_000)
      .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));
  }

  #copies(phone: string, text: string): number {
    return this.#textsOn(phone).filter((one) => one === text).length;
  }

  #rows<K extends keyof Rows>(table: K): Rows[K][] {
    return this.#world.mongo.rows(table) as unknown as Rows[K][];
  }

  #row<K extends keyof Rows>(table: K, id: string): Rows[K] | undefined {
    return this.#world.mongo.row(table, id) as unknown as Rows[K] | undefined;
  }

  #violated(invariant: string, detail: string): void {
    this.#world.history.violated(invariant, detail);
  }
}
