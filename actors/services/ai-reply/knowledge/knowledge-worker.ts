import { systemRandom } from '../../../../runtime/random.ts';
import type { SafeText } from '../../../../runtime/safe-text.ts';
import { AlikeQuestions, type Wordings } from '../retrieval/alike.ts';
import type { Calibration } from '../retrieval/calibration.ts';
import { type Found, Knowledge } from '../retrieval/knowledge.ts';
import type { Near, Unit } from '../retrieval/knowledge-index.ts';

export interface IndexName {
  readonly tenantId: string;
  readonly state: string;
}

interface Held {
  readonly state: string;
  readonly knowledge: Knowledge;
  isReady: boolean;
}

/** Maximum number of entries in all indexes combined. The least recently used index is dropped first. */
const MAX_ENTRIES = 60_000;

const held = new Map<string, Held>();

/** Each call into the index thread is short, so that tenants do not wait for each other. */
export function begin({ tenantId, state }: IndexName): void {
  held.delete(tenantId);
  held.set(tenantId, { state, knowledge: new Knowledge(systemRandom), isReady: false });
}

export function add({ units, ...name }: IndexName & { readonly units: readonly Unit[] }): boolean {
  const index = find(name);
  index?.knowledge.add(units);
  return index !== null;
}

export function pack(name: IndexName): boolean {
  const index = find(name);
  if (!index) return false;
  index.knowledge.pack();
  index.isReady = true;
  makeRoom(name.tenantId);
  return true;
}

export function calibrate({
  tasks,
  fixed,
  ...name
}: IndexName & { readonly tasks: number; readonly fixed: number | null }): Calibration | 'more' | 'absent' {
  const index = find(name);
  if (!index?.isReady) return 'absent';
  return index.knowledge.tryMore(tasks) ? index.knowledge.calibration(fixed) : 'more';
}

export function drop({ tenantId }: Pick<IndexName, 'tenantId'>): void {
  held.delete(tenantId);
}

export function search({
  question,
  near = null,
  ...name
}: IndexName & { readonly question: SafeText; readonly near?: Near | null }): Found | 'absent' {
  const index = find(name);
  return index?.isReady ? index.knowledge.find(question, near) : 'absent';
}

const compared = new Map<string, AlikeQuestions>();

export function compare({ comparison, questions }: { readonly comparison: string; readonly questions: readonly Wordings[] }): void {
  const known = compared.get(comparison) ?? new AlikeQuestions();
  compared.set(comparison, known);
  known.add(questions);
}

export function alike({ comparison, question }: { readonly comparison: string; readonly question: SafeText }): string | null {
  const known = compared.get(comparison);
  compared.delete(comparison);
  return known?.find(question) ?? null;
}

function find({ tenantId, state }: IndexName): Held | null {
  const index = held.get(tenantId);
  if (index?.state !== state) return null;
  held.delete(tenantId);
  held.set(tenantId, index);
  return index;
}

function makeRoom(keep: string): void {
  let entries = [...held.values()].reduce((sum, { knowledge }) => sum + knowledge.size, 0);
  for (const [tenantId, { knowledge, isReady }] of held) {
    if (entries <= MAX_ENTRIES) return;
    if (tenantId === keep || !isReady) continue;
    held.delete(tenantId);
    entries -= knowledge.size;
  }
}
