import type { Logger } from 'pino';
import type { Sealer } from '../../../../runtime/sealing/seal.ts';
import type { AuditLog } from '../../../../store/audit/audit-log.ts';
import type { ContactRow, Contacts } from '../../../../store/contacts/contacts.ts';
import type { LabelLists } from '../../../../store/contacts/labels.ts';
import type { Identities } from '../../../../store/identities/identities.ts';
import type { MediaRow } from '../../../../store/media/media.ts';
import { batchesOf } from '../../../../store/patterns/batches-of.ts';
import type { Doc, Filter, Sort } from '../../../../store/port.ts';
import { ownRows } from '../../../../store/privacy/traces.ts';
import { type Cell, numberCell } from '../../../domain/csv.ts';
import { personIn } from '../../../network/subject.ts';
import { CONSENT_COLUMNS } from '../../consent/consent-columns.ts';
import { contactCells, contactColumns } from '../../contacts/contact-lines.ts';
import { type Lids, lidsOf, toContact } from '../../contacts/contacts.ts';
import { type LabelIndex, labelIndexOf } from '../../contacts/labels.ts';
import { type Collections, opened, type Person } from '../person.ts';

export interface Source {
  readonly tenantId: string;
  readonly who: Person | null;
  readonly collections: Collections;
  readonly labels: LabelLists;
  readonly contacts: Pick<Contacts, 'each'>;
  readonly identities: Pick<Identities, 'addressesOf'>;
  readonly sealer: Sealer;
  readonly log: Pick<Logger, 'error'>;
  readonly auditLog: Pick<AuditLog, 'all'>;
  readonly devices: readonly string[];
  readonly campaigns: readonly string[];
}

export interface RecordSection {
  readonly kind: 'records';
  readonly name: string;
  read(source: Source): AsyncIterable<object>;
  readonly csv?: (source: Source) => Promise<{ readonly columns: readonly string[]; cells(record: object): readonly Cell[] }>;
}

export interface MessageSection {
  readonly kind: 'messages';
  readonly name: 'messages';
}

export interface FileSection {
  readonly kind: 'media';
  readonly name: 'media';
}

export type Section = RecordSection | MessageSection | FileSection;

const TOGETHER = 500;

type Row = Doc & Readonly<Record<string, unknown>>;

const INTERNAL: ReadonlySet<string> = new Set(
  [
    'tenant_id place rev epoch node due_at lane claimed_at unknown_since attempts net_id refund quota_month outbox outbox_pending marketing',
    'labels tag_names name_key decided_at read_up_to last_inbound_id last_message_id seeks_agent assignments assigned_from',
    'deferred_media gathering zones confirmed lifted_by seq record key secret credentials token token_hash hash retired',
    'former_secret sealed phone_key blob devices is_gone leaving left_at away_at made_by earlier blast_id_key',
  ].flatMap((line) => line.split(' ')),
);

export function shownRow({ _id, ...fields }: Row): object {
  return { id: _id, ...Object.fromEntries(Object.entries(fields).filter(([name]) => !INTERNAL.has(name))) };
}

const only =
  (...names: readonly string[]) =>
  (row: Row): object => ({ id: row._id, ...Object.fromEntries(names.flatMap((name) => (name in row ? [[name, row[name]]] : []))) });

async function* rowsIn(source: Source, name: string, filters: readonly Filter[], sort?: Sort): AsyncGenerator<Row> {
  for (const filter of filters)
    for await (const row of opened(source.collections, name).find(filter, { ...(sort && { sort }) })) yield { ...row };
}

interface Reading {
  readonly name: string;
  readonly collection?: string;
  readonly filters?: (source: Source) => readonly Filter[];
  readonly show?: (row: Row) => object;
}

const ofTenant = ({ tenantId }: Source): readonly Filter[] => [{ tenant_id: tenantId }];
const ofDevices = ({ devices }: Source): readonly Filter[] => devices.map((session_id) => ({ session_id }));

function records({ name, collection = name, filters = ofTenant, show = shownRow }: Reading): RecordSection {
  return {
    kind: 'records',
    name,
    async *read(source) {
      for await (const row of rowsIn(source, collection, filters(source))) yield show(row);
    },
  };
}

const contacts: RecordSection = {
  kind: 'records',
  name: 'contacts',
  async *read(source) {
    const labelIndex = await labelIndexOf(source.labels, source.tenantId);
    const filter = source.who ? { phone: { $in: source.who.subjects } } : {};
    for await (const some of batchesOf(source.contacts.each(source.tenantId, filter, TOGETHER))) {
      const lids = await lidsOf(source, source.tenantId, some);
      for (const row of some) yield new ContactRecord(row, labelIndex, lids);
    }
  },
  async csv(source) {
    const labelIndex = await labelIndexOf(source.labels, source.tenantId);
    return {
      columns: contactColumns(labelIndex),
      cells: (record) => (record instanceof ContactRecord ? contactCells(record.row, labelIndex, record.lids) : []),
    };
  },
};

class ContactRecord {
  readonly row: ContactRow;
  readonly lids: Lids;
  readonly #labelIndex: LabelIndex;

  constructor(row: ContactRow, labelIndex: LabelIndex, lids: Lids) {
    this.row = row;
    this.lids = lids;
    this.#labelIndex = labelIndex;
  }

  toJSON(): object {
    return toContact(this.row, this.#labelIndex, this.lids);
  }
}

const consent: RecordSection = {
  kind: 'records',
  name: 'consent',
  async *read(source) {
    const { tenantId, who } = source;
    const keys = who?.subjects.map((subject) => `${tenantId}:${subject}`);
    // Select only records with a number. Other keys start with a character that sorts before digits.
    const filter: Filter = keys ? { _id: { $in: keys } } : { _id: { $gt: `${tenantId}:$`, $lt: `${tenantId};` } };
    for await (const row of rowsIn(source, 'consents', [filter])) {
      const history = await opened(source.collections, 'consent_history')
        .find({ record: row._id }, { sort: { at: -1, seq: -1 } })
        .toArray();
      const { subject, status, source: by, note, created_at, updated_at } = row;
      yield {
        ...personIn(String(subject)),
        status,
        source: by,
        note,
        created_at,
        updated_at,
        history: history.map((entry) => entryOf({ ...entry })),
      };
    }
  },
  csv: async () => ({
    columns: CONSENT_COLUMNS,
    cells: (record) => {
      const values = new Map<string, unknown>(Object.entries(record));
      const [phone = null, ...others] = CONSENT_COLUMNS.map((name) => asCell(values.get(name)));
      return [typeof phone === 'string' ? numberCell(phone) : phone, ...others];
    },
  }),
};

const asCell = (value: unknown): Cell => (typeof value === 'string' || typeof value === 'number' ? value : null);

const entryOf = ({ status, source, note, at }: Row): object => ({ status, source, note, at });

const audit: RecordSection = {
  kind: 'records',
  name: 'audit',
  read: ({ auditLog, tenantId }) => auditLog.all(tenantId),
};

/** If `known` can no longer be decrypted, it is null, and all other fields are exported. */
const purchases: RecordSection = {
  kind: 'records',
  name: 'purchases',
  async *read(source) {
    const { who, sealer, log } = source;
    if (!who) return;
    const causes: unknown[] = [];
    const known = (link_id: string, about: string, sealed: string): unknown => {
      try {
        return JSON.parse(sealer.open(link_id, about, sealed));
      } catch (cause) {
        causes.push(cause);
        return null;
      }
    };
    const filters = who.links.map((link_id) => ({
      link_id,
      phone_key: { $in: who.numbers.map((phone) => sealer.keyedHash(link_id, phone)) },
    }));
    for await (const { _id, link_id, kind, seen_at, sealed } of rowsIn(source, 'store_memory', filters))
      yield { kind, seen_at, known: known(String(link_id), _id, String(sealed)) };
    const { tenantId: tenant } = source;
    const [err] = causes;
    if (err)
      log.error(
        { event: 'store_link.unreadable', tenant, count: causes.length, err },
        'an export omits purchases that cannot be decrypted',
      );
  },
};

const theirs = (name: string, collection = name): RecordSection => ({
  kind: 'records',
  name,
  async *read({ who, collections }) {
    if (!who) return;
    for await (const row of ownRows(opened(collections, collection), collection, who)) yield shownRow(row);
  },
});

export async function keysOf({ who, collections, tenantId }: Source): Promise<readonly string[]> {
  if (!who) return [];
  const came = await opened(collections, 'media')
    .find({ tenant_id: tenantId, chat_id: { $in: who.addresses } }, { projection: { _id: 1 } })
    .toArray();
  const keys = new Set(came.map(({ _id }) => _id));
  for await (const { media_r2_key } of ownRows(opened(collections, 'messages'), 'messages', who))
    if (typeof media_r2_key === 'string') keys.add(media_r2_key);
  return [...keys].sort();
}

export const describedFile = ({ _id, filename, content_type, size, sha256, chat_id, created_at }: MediaRow): object => ({
  ...{ key: _id, name: `media/${_id}`, filename, content_type, size, sha256, chat_id, created_at },
});

const TENANT: readonly Section[] = [
  records({
    name: 'account',
    collection: 'tenants',
    filters: ({ tenantId }) => [{ _id: tenantId }],
    show: only('name', 'phone', 'plan', 'profile', 'settings', 'created_at'),
  }),
  contacts,
  ...['contact_groups', 'tags', 'attributes', 'segments', 'templates'].map((name) => records({ name })),
  consent,
  records({
    name: 'sessions',
    collection: 'devices',
    show: only('name', 'status', 'phone_number', 'wa_name', 'wa_about', 'linked_at', 'created_at'),
  }),
  records({ name: 'chats' }),
  { kind: 'messages', name: 'messages' },
  records({ name: 'poll_votes', filters: ofDevices }),
  records({ name: 'member_receipts', filters: ofDevices }),
  records({ name: 'saved_names' }),
  records({ name: 'scheduled', filters: ofDevices }),
  records({ name: 'recurring', filters: ofDevices }),
  records({ name: 'rotators' }),
  records({ name: 'blasts', collection: 'campaigns' }),
  records({
    name: 'blast_recipients',
    collection: 'campaign_recipients',
    filters: ({ campaigns }) => campaigns.map((blast_id) => ({ blast_id })),
  }),
  records({ name: 'auto_replies', filters: ({ devices }) => [{ _id: { $in: devices } }] }),
  records({ name: 'ai_answers' }),
  records({ name: 'ai_documents', show: only('name', 'ext', 'size', 'status', 'source_url', 'created_at') }),
  records({
    name: 'agents',
    filters: ({ tenantId }) => [{ tenant_id: tenantId, is_gone: false }],
    show: only('name', 'phone', 'is_active', 'created_at'),
  }),
  records({ name: 'webhooks', show: only('url', 'events', 'created_at', 'disabled_at') }),
  records({
    name: 'stores',
    collection: 'store_links',
    show: only('platform', 'name', 'session_id', 'enabled', 'templates', 'shop_domain', 'created_at'),
  }),
  records({ name: 'invoices' }),
  audit,
  { kind: 'media', name: 'media' },
];

const PERSON: readonly Section[] = [
  contacts,
  consent,
  theirs('chats'),
  theirs('messages'),
  theirs('poll_votes'),
  theirs('saved_names'),
  theirs('received_actions'),
  theirs('scheduled'),
  theirs('blast_recipients', 'campaign_recipients'),
  purchases,
  { kind: 'media', name: 'media' },
];

export const sectionsOf = (of: 'person' | 'tenant'): readonly Section[] => (of === 'person' ? PERSON : TENANT);
