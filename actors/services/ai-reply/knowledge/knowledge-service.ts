import type { Cancel, Clock } from '../../../../runtime/clock.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { newId } from '../../../../runtime/ids.ts';
import type { SafeText } from '../../../../runtime/safe-text.ts';
import { WorkerPool } from '../../../../runtime/worker-pool.ts';
import type { SavedAnswers } from '../../../../store/ai-reply/answers.ts';
import type { Documents, PassageRow } from '../../../../store/ai-reply/documents.ts';
import type { AiSettingsStore, AiTenant, StoredCalibration } from '../../../../store/ai-reply/settings.ts';
import { refusal } from '../../../domain/refusals.ts';
import type { Embedder } from '../engine/embedder.ts';
import type { Wordings } from '../retrieval/alike.ts';
import type { Calibration } from '../retrieval/calibration.ts';
import type { Found } from '../retrieval/knowledge.ts';
import type { Near, Unit } from '../retrieval/knowledge-index.ts';
import { fromText, type Vector } from '../retrieval/vectors.ts';
import type { IndexName } from './knowledge-worker.ts';

/**
 * Searches a tenant's documents and saved answers, with indexes on a separate thread. Invariant: an
 * index is named after the revision of the knowledge, and `changing` increments that revision, so
 * no question is answered from an earlier state. Idle indexes are dropped. Data: store/ai-reply.
 */

export interface Consulted {
  readonly found: Found;
  readonly calibration: StoredCalibration;
}

export interface KnowledgeService {
  consult(tenantId: string, question: SafeText): Promise<Consulted>;
  /** Runs `first` once the call is admitted. Fails with OVERLOADED. */
  calibration(tenantId: string, first?: () => Promise<void>): Promise<StoredCalibration>;
  /** Callers must limit how many of these calls run at the same time. */
  alike(tenantId: string, others: readonly Wordings[], question: SafeText): Promise<string | null>;
  changing<T>(tenantId: string, change: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface KnowledgeDeps {
  readonly aiSettings: AiSettingsStore;
  readonly savedAnswers: Pick<SavedAnswers, 'all'>;
  readonly documents: Pick<Documents, 'list' | 'passages'>;
  readonly embedder: Pick<Embedder, 'model' | 'question'> | null;
  readonly clock: Clock;
}

const IDLE_MS = 10 * 60_000;
const TENANT_IDLE_MS = 5 * 60_000;
const MAX_HEAP_MB = 1_024;
/** Passages or answers per call to the worker. A low number keeps other tenants' waits short. */
const UNITS = 50;
const TRIALS = 5;
const TRIES = 5;
const MAX_QUESTIONS = 100;

export function createKnowledgeService({ aiSettings, savedAnswers, documents, embedder, clock }: KnowledgeDeps): KnowledgeService {
  const worker = new WorkerPool(new URL('./knowledge-worker.ts', import.meta.url), { idleMs: IDLE_MS, maxHeapMb: MAX_HEAP_MB });
  const full = () => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const questions = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: MAX_QUESTIONS, waiting: 0, full });
  // Tenants take turns on a single thread. The queue for it is limited by the number of questions.
  const turns = new FairSlots({ slots: 1, share: 1 });
  const building = new Map<string, Promise<void>>();
  const needed = new Map<string, number>();
  let cancelSweep: Cancel | null = null;

  function keep(tenantId: string): void {
    needed.set(tenantId, clock.monotonic());
    cancelSweep ??= clock.after(TENANT_IDLE_MS, sweep);
  }

  function sweep(): void {
    const since = clock.monotonic() - TENANT_IDLE_MS;
    for (const [tenantId, at] of needed) {
      if (at > since) continue;
      needed.delete(tenantId);
      // If this fails, the thread has exited, and its index no longer exists anyway.
      turns.run(tenantId, () => worker.run({ tenantId }, { name: 'drop' })).catch(() => {});
    }
    cancelSweep = needed.size > 0 ? clock.after(TENANT_IDLE_MS, sweep) : null;
  }

  const inTurn = <T>(index: IndexName, name: string, details: object = {}): Promise<T> =>
    turns.run(index.tenantId, () => worker.run<T>({ ...index, ...details }, { name }));

  async function* unitsOf(tenantId: string): AsyncGenerator<readonly Unit[]> {
    const answers = await savedAnswers.all(tenantId);
    for (let at = 0; at < answers.length; at += UNITS)
      yield answers.slice(at, at + UNITS).map(
        ({ _id, question, wordings, answer }): Unit => ({
          kind: 'answer',
          id: _id,
          questions: [question, ...wordings],
          text: answer,
        }),
      );
    for (const { _id, name, version, status, vectors_model } of await documents.list(tenantId)) {
      if (version === null || status === 'deleting') continue;
      for (let after = -1; ; ) {
        const passages = await documents.passages(_id, version, after, UNITS);
        const hasVectors = embedder !== null && vectors_model === embedder.model;
        yield passages.map((passage): Unit => {
          const { heading, text, is_answer } = passage;
          if (is_answer && heading !== '') return { kind: 'answer', id: _id, questions: [heading], text, document: name };
          const vector = hasVectors ? vectorOf(passage, embedder.model) : undefined;
          return { kind: 'document', id: _id, name, heading, text, ...(vector && { vector }) };
        });
        if (passages.length < UNITS) break;
        after = passages.at(-1)?.number ?? after;
      }
    }
  }

  async function build(name: IndexName): Promise<void> {
    await inTurn(name, 'begin');
    for await (const units of unitsOf(name.tenantId)) await inTurn(name, 'add', { units });
    await inTurn(name, 'pack');
  }

  function built(name: IndexName): Promise<void> {
    const key = `${name.tenantId}:${name.state}`;
    const underWay = building.get(key) ?? build(name).finally(() => building.delete(key));
    building.set(key, underWay);
    return underWay;
  }

  async function ask<T>(name: IndexName, task: string, details: object): Promise<T> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      keep(name.tenantId);
      const answer = await inTurn<T | 'absent'>(name, task, details);
      if (answer !== 'absent') return answer;
      await built(name);
    }
    throw new Error('the index of a tenant was dropped each time it was built');
  }

  async function calibrated({ settings, knowledgeRev, calibration }: AiTenant, tenantId: string): Promise<StoredCalibration> {
    const fixed = settings.threshold;
    const of = `${knowledgeRev}:${fixed}`;
    if (calibration?.of === of) return calibration;
    const name = { tenantId, state: String(knowledgeRev) };
    for (;;) {
      const made = await ask<Calibration | 'more'>(name, 'calibrate', { tasks: TRIALS, fixed });
      if (made === 'more') continue;
      const stored = { of, ...made };
      await aiSettings.calibrated(tenantId, stored);
      return stored;
    }
  }

  /** Returns the question's vector. A question that matches no knowledge is not sent to the service. */
  async function nearOf(
    { passages }: Found,
    { thresholds }: StoredCalibration,
    { tenantId, question }: { readonly tenantId: string; readonly question: string },
  ): Promise<Near | null> {
    const atLeast = thresholds.passages;
    if (!embedder || passages.filter(({ score }) => score >= atLeast).length < 2) return null;
    const vector = await embedder.question(tenantId, question);
    return vector && { vector, atLeast };
  }

  async function consult(tenantId: string, question: SafeText): Promise<Consulted> {
    const tenant = await aiSettings.find(tenantId);
    const calibration = await calibrated(tenant, tenantId);
    const name = { tenantId, state: String(tenant.knowledgeRev) };
    const found = await ask<Found>(name, 'search', { question });
    const near = await nearOf(found, calibration, { tenantId, question });
    return { found: near ? await ask<Found>(name, 'search', { question, near }) : found, calibration };
  }

  return {
    consult: (tenantId, question) => questions.run(tenantId, () => consult(tenantId, question)),

    calibration: (tenantId, first) =>
      questions.run(tenantId, async () => {
        await first?.();
        return calibrated(await aiSettings.find(tenantId), tenantId);
      }),

    async alike(tenantId, questions, question) {
      const comparison = newId(clock.now());
      const inTurns = <T>(name: string, details: object) => turns.run(tenantId, () => worker.run<T>({ comparison, ...details }, { name }));
      for (let at = 0; at < questions.length; at += UNITS) await inTurns('compare', { questions: questions.slice(at, at + UNITS) });
      return inTurns<string | null>('alike', { question });
    },

    async changing(tenantId, change) {
      // Increment the revision before the change (in case of a crash) and after it (to drop stale indexes).
      await aiSettings.knowledgeChanged(tenantId);
      const changed = await change();
      await aiSettings.knowledgeChanged(tenantId);
      return changed;
    },

    close() {
      cancelSweep?.();
      return worker.close();
    },
  };
}

/** Vectors of another model are ignored. They may come from a node with other settings. */
const vectorOf = ({ vector, vector_of }: PassageRow, model: string): Vector | undefined =>
  vector !== undefined && vector_of?.slice(0, vector_of.lastIndexOf('/')) === model ? fromText(vector) : undefined;
