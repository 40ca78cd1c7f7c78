import type { LabelLists, TemplateRow } from '../../../store/contacts/labels.ts';
import type { Windows } from '../../../store/conversations/windows.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { variablesOf } from '../../domain/official-templates.ts';
import { refusal } from '../../domain/refusals.ts';
import { subjectOf } from '../../network/subject.ts';

/**
 * Enforces the messaging window of an official number. Within 24 hours after a person wrote, free
 * text may be sent to them. After that, only an approved template is allowed. A new message is
 * checked before it is stored; if it is refused, the error lists templates that fit. A queued
 * message is checked again when it is sent.
 */

export interface WindowDeps {
  readonly windows: Windows;
  readonly labels: Pick<LabelLists, 'templates'>;
}

export interface FittingTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly variables: readonly string[];
}

const isPerson = (chat: string): boolean => subjectOf(chat) !== null;

const MOST = 10;
const CATEGORIES = ['utility', 'marketing', 'authentication'];

/** If the window is closed, fails with WINDOW_CLOSED and lists templates, `language` first. */
export async function expectOpenWindow(deps: WindowDeps, device: DeviceRow, chat: string, language: string, now: number): Promise<void> {
  if (!device.official || !isPerson(chat)) return;
  const end = await deps.windows.end(device._id, chat, now);
  if (end !== null && end > now) return;
  const rows = await deps.labels.templates.list(device.tenant_id);
  throw refusal('WINDOW_CLOSED', { closed_at: end, templates: fitting(rows, device.official.waba_id, language) });
}

function fitting(rows: readonly TemplateRow[], wabaId: string, language: string): readonly FittingTemplate[] {
  const isSpoken = (of: string): number => (of.toLowerCase().startsWith(language) ? 0 : 1);
  return rows
    .flatMap(({ _id: id, name, official }) =>
      official?.waba_id === wabaId && official.status === 'approved' ? [{ id, name, official }] : [],
    )
    .sort(
      ({ official: one }, { official: other }) =>
        isSpoken(one.language) - isSpoken(other.language) || CATEGORIES.indexOf(one.category) - CATEGORIES.indexOf(other.category),
    )
    .slice(0, MOST)
    .map(({ id, name, official: { language: of, category, components } }) => ({
      ...{ id, name, language: of, category, variables: variablesOf(components) },
    }));
}
