import { keysOf } from '../../../runtime/keys-of.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Contacts } from '../../../store/contacts/contacts.ts';
import type { LabelLists } from '../../../store/contacts/labels.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import { refusal } from '../../domain/refusals.ts';

export interface ChecklistDeps {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly devices: Pick<Devices, 'list'>;
  readonly messages: Pick<Messages, 'list'>;
  readonly contacts: Pick<Contacts, 'newest'>;
  readonly labels: Pick<LabelLists, 'templates'>;
}

export const STEPS = {
  profile: { en: 'Save the business profile', id: 'Simpan profil bisnis' },
  device: { en: 'Link a phone', id: 'Tautkan ponsel' },
  pack: { en: 'Choose a starter pack', id: 'Pilih set awal' },
  contacts: { en: 'Add or import contacts', id: 'Tambah atau impor kontak' },
  first_message: { en: 'Send the first message', id: 'Kirim pesan pertama' },
} as const;

export type StepName = keyof typeof STEPS;

export async function checklistOf(
  deps: ChecklistDeps,
  tenantId: string,
  now: number,
): Promise<{ readonly industry: string | null; readonly done: ReadonlySet<StepName> }> {
  const tenant = await deps.tenants.find(tenantId);
  if (!tenant) throw refusal('NOT_FOUND');
  const devices = await deps.devices.list(tenantId, null);
  const [contact] = await Array.fromAsync(deps.contacts.newest(tenantId, {}, 1, null));
  const templates = await deps.labels.templates.list(tenantId);
  const steps: Readonly<Record<StepName, boolean>> = {
    profile: tenant.profile.configured,
    device: devices.some(({ phone_number }) => phone_number !== null),
    pack: templates.some(({ pack }) => pack !== null),
    contacts: contact !== undefined,
    first_message: await hasSent(deps, devices, now),
  };
  const done = keysOf(STEPS).filter((name) => steps[name]);
  return { industry: tenant.profile.industry, done: new Set(done) };
}

async function hasSent({ messages }: ChecklistDeps, devices: readonly DeviceRow[], now: number): Promise<boolean> {
  for (const { tenant_id, _id } of devices) {
    const sent = messages.list(tenant_id, _id, { direction: 'outbound' }, { limit: 1, before: null, beforeId: null, now });
    if ((await Array.fromAsync(sent)).length > 0) return true;
  }
  return false;
}
