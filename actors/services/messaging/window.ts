import type { LabelLists, TemplateRow } from '../../../store/contacts/labels.ts';
import type { Windows } from '../../../store/conversations/windows.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { variablesOf } from '../../domain/official-templates.ts';
import { refusal } from '../../domain/refusals.ts';
import { subjectOf } from '../../network/subject.ts';

/**
 * The window of an official number: for a day after a person wrote, free text may answer them; outside it only a template that the vendor
 * approved. What a caller sends now is judged before it is stored, and is told which templates fit; what waits is judged when it leaves.
 */
export interface WindowDeps {
  readonly windows: Windows;
  readonly labels: Pick<LabelLists, 'templates'>;
}

/** What is told of a template that may be sent outside the window. */
export interface FittingTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly variables: readonly string[];
}

/** The platform has windows with people. */
const isPerson = (chat: string): boolean => subjectOf(chat) !== null;

const MOST = 10;
const CATEGORIES = ['utility', 'marketing', 'authentication'];

/** Refuses WINDOW_CLOSED where free text may not be sent from this device to this chat. `language`: of which templates are told first. */
export async function expectOpenWindow(deps: WindowDeps, device: DeviceRow, chat: string, language: string, now: number): Promise<void> {
  if (!device.official || !isPerson(chat)) return;
  const end = await deps.windows.end(device._id, chat, now);
  if (end !== null && end > now) return;
  const rows = await deps.labels.templates.list(device.tenant_id);
  throw refusal('WINDOW_CLOSED', { closed_at: end, templates: fitting(rows, device.official.waba_id, language) });
}

/** Approved ones of the account: those in the language first, then by what they are for. */
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
