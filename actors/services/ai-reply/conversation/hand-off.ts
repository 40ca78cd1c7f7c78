import { Refusal } from '../../../../runtime/errors.ts';
import type { TenantRow } from '../../../../store/accounts/tenants.ts';
import type { ChatPatch, Chats } from '../../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../../store/devices/devices.ts';
import { LANES } from '../../../../store/messaging/messages.ts';
import { type Plans, planFor } from '../../../domain/plans.ts';
import { settingsOf } from '../../../domain/settings.ts';
import { isOpen, opensAt, wallOf, weekdayOf } from '../../../domain/zones.ts';
import type { Choose } from '../../agents/choose-agent.ts';
import type { ConsentCheck } from '../../consent/check.ts';
import { type Announce, assignmentOf } from '../../conversations/announce-assignment.ts';
import { newestNotes, newNote } from '../../conversations/notes.ts';
import { answerId } from '../../messaging/answer-id.ts';
import type { Sending } from '../../messaging/sending.ts';
import type { Language } from '../retrieval/question.ts';

export interface HandOffDeps {
  readonly chats: Pick<Chats, 'find' | 'change'>;
  readonly choose: Choose;
  readonly announce: Announce;
  readonly sending: () => Pick<Sending, 'accept'>;
  readonly plans: Plans;
  readonly consentCheck: ConsentCheck;
  failed(refused: Refusal, at: Pick<DeviceRow, '_id' | 'tenant_id'>): void;
}

export interface HandOff {
  readonly tenant: TenantRow;
  readonly device: DeviceRow;
  readonly chatId: string;
  /** The message that caused the hand-off. A repeated call with the same message has no effect. */
  readonly cause: string;
  readonly note: string;
  readonly language: Language;
}

export async function handOff(deps: HandOffDeps, { tenant, device, chatId, cause, note, language }: HandOff, now: number): Promise<void> {
  const before = await deps.chats.find(tenant._id, device._id, chatId);
  // Choose an agent only if one is needed, because each choice advances the rotation.
  const agentId = before?.agent_id === null && before.handed_off !== cause ? await deps.choose(tenant._id) : null;
  const chat = await deps.chats.change(tenant._id, device._id, chatId, (row): ChatPatch | null => {
    if (row.handed_off === cause) return null;
    const assignment = row.agent_id === null && agentId !== null && !row.outbox_pending ? assignmentOf(row, agentId, null, now) : {};
    return {
      status: 'pending',
      decided_at: row.last_inbound_id,
      handed_off: cause,
      notes: newestNotes([newNote(note, null, now), ...row.notes]),
      ...assignment,
    };
  });
  if (chat?.outbox_pending) await deps.announce([chat]);
  const order = { chat: chatId, message_type: 'text', parts: {}, quotes: null, lane: LANES.reply, priority: 5 } as const;
  const body = told(tenant, language, now);
  try {
    await deps.consentCheck.admit(tenant._id, chatId);
    await deps
      .sending()
      .accept(
        device,
        planFor(deps.plans, tenant),
        { ...order, body, id: answerId('handoff', cause), isAutomatic: true, madeBy: { kind: 'hand_off', id: null } },
        now,
      );
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused;
    deps.failed(refused, device);
  }
}

function told({ profile, ...tenant }: TenantRow, language: Language, now: number): string {
  const { away } = settingsOf(tenant);
  const isBack = !away.enabled || away.hours.days.length === 0 || isOpen(away.hours, profile.timezone, now);
  if (isBack) return HANDED_OFF[language];
  const { day } = wallOf(profile.timezone, opensAt(away.hours, profile.timezone, now));
  return `${HANDED_OFF[language]} ${BACK[language](DAYS[language][weekdayOf(day)] ?? '', away.hours.start)}`;
}

const HANDED_OFF: Readonly<Record<Language, string>> = {
  en: 'I am passing this on to our team; someone will reply to you here.',
  id: 'Pesan Anda kami teruskan ke tim kami; mereka akan membalas di sini.',
};
const BACK: Readonly<Record<Language, (day: string, time: string) => string>> = {
  en: (day, time) => `They are back on ${day} at ${time}.`,
  id: (day, time) => `Mereka kembali hari ${day} pukul ${time}.`,
};
const DAYS: Readonly<Record<Language, readonly string[]>> = {
  en: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  id: ['Minggu', 'Senin', 'Selasa', 'Rabu', 'Kamis', 'Jumat', 'Sabtu'],
};
