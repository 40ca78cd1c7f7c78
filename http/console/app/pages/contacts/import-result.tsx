import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/request.ts';
import { errorOf } from '../../api/resource.ts';
import { whenEnded } from '../../api/when-ended.ts';
import { Bar } from '../../ui/bar.tsx';
import { Bones, Failure } from '../../ui/states.tsx';
import { Steps } from '../../ui/steps.tsx';
import { numberText } from '../../words/formats.ts';
import { targetText } from './import-columns.tsx';
import { Faults } from './import-rows.tsx';
import { words } from './words.ts';

type Import = Schemas['ContactImport'];

export function ImportResult({ id }: { readonly id: string }): JSX.Element {
  const t = words();
  const result = useSignal<Import | null>(null);
  const error = useSignal<ApiError | null>(null);
  const tries = useSignal(0);
  useEffect(() => {
    const over = new AbortController();
    const look = (): Promise<Import> => call('getContactImport', { params: { id } }, { signal: over.signal });
    const shown = (now: Import): void => {
      result.value = now;
    };
    error.value = null;
    look()
      .then((begun) => whenEnded(begun, { again: look, shown, signal: over.signal }))
      .catch((cause: unknown) => {
        if (!over.signal.aborted) error.value = errorOf(cause);
      });
    return () => over.abort();
  }, [id, tries.value]);
  return (
    <div class="wizard">
      <Steps names={[t.upload, t.columns, t.resultTitle]} nth={2} />
      <div class="wizard-body stack">
        {error.value && <Failure error={error.value} onRetry={() => (tries.value += 1)} />}
        {result.value ? <Result result={result.value} /> : !error.value && <Bones />}
      </div>
      <div class="foot-bar">
        <span class="small meta" />
        <a class="button first" href={`${BASE}/contacts`}>
          {t.done}
        </a>
      </div>
    </div>
  );
}

function Result({ result }: { readonly result: Import }): JSX.Element {
  const t = words();
  const { status, total, created, updated, invalid, merged, opted_in, opted_out, opt_outs_lifted, opt_outs_kept } = result;
  const done = created + updated + invalid + merged;
  const share = status === 'done' ? 1 : total === 0 ? 0 : done / total;
  const figures = [
    [t.added, created],
    [t.updated, updated],
    [t.skippedRows, invalid],
  ] as const;
  const notes = [
    [merged, t.mergedRows],
    [opted_in, t.optedInRows],
    [opted_out, t.optedOutRows],
    [opt_outs_lifted, t.liftedRows],
    [opt_outs_kept, t.keptRows],
  ] as const;
  return (
    <div class="stack" data-testid="import-result" data-status={status}>
      <section class="card stack" aria-label={t.resultTitle}>
        <p role="status">{status === 'done' ? t.finished : status === 'failed' ? t.failed : t.running(done, total)}</p>
        <div role="progressbar" aria-label={t.progress} aria-valuemin={0} aria-valuenow={done} aria-valuemax={Math.max(total, done)}>
          <Bar size="large" value={share} max={1} tone={status === 'failed' ? 'bad' : undefined} />
        </div>
        <dl class="facts">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="figure-large">{numberText(value)}</dd>
            </div>
          ))}
        </dl>
        <ul class="small soft">{notes.map(([count, text]) => count > 0 && <li key={text(count)}>{text(count)}</li>)}</ul>
      </section>
      <Decisions result={result} />
      <Faults title={t.errors} faults={result.errors} />
    </div>
  );
}

function Decisions({ result: { decisions, ignored } }: { readonly result: Import }): JSX.Element | null {
  const t = words();
  if (decisions.length + ignored.length === 0) return null;
  return (
    <section class="card stack" aria-label={t.whatBecame} data-testid="import-decisions">
      <h2>{t.whatBecame}</h2>
      <ul class="legend">
        {decisions.map(({ column, as }) => (
          <li key={column}>
            <span class="dot accent" aria-hidden="true" />
            <bdi class="breaks">{column}</bdi>
            <b>
              <bdi>{targetText(as)}</bdi>
            </b>
          </li>
        ))}
        {ignored.map((column) => (
          <li key={column}>
            <span class="dot" aria-hidden="true" />
            <bdi class="breaks">{column}</bdi>
            <b class="meta">{t.notImported}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
