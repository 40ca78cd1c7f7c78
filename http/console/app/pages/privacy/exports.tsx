import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call, callForBytes } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge } from '../../ui/badge.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { whenText } from '../../words/formats.ts';
import { Phone } from './holds.tsx';
import { useLook } from './look.ts';
import { words } from './words.ts';

const TONES = { queued: 'calm', running: 'calm', done: 'good', failed: 'bad' } as const;

export function Exports(): JSX.Element {
  const t = words();
  const exports = useResource('exports', (signal) => call('listExports', {}, { signal }));
  useLook(exports, ({ exports: list }) => list.some(({ status }) => status === 'queued' || status === 'running'));
  const isAsking = useSignal(false);
  const phone = useSignal('');
  const close = (): void => {
    isAsking.value = false;
  };
  const body = phone.value.trim() === '' ? {} : { phone: phone.value.trim() };
  const make = async (): Promise<void> => {
    await call('exportData', { body });
    phone.value = '';
    close();
    exports.reload();
  };
  return (
    <section class="card stack">
      <h2>{t.exports}</h2>
      <p class="soft">{t.exportsAbout}</p>
      <div class="row">
        <button type="button" class="button" aria-haspopup="dialog" onClick={() => (isAsking.value = true)}>
          {t.newExport}
        </button>
      </div>
      <Loaded of={exports}>
        {({ exports: list }) => (
          <Listing of={list} empty={<Empty title={t.noExports} about={t.noExportsAbout} />}>
            {(one) => <Row key={one.id} made={one} />}
          </Listing>
        )}
      </Loaded>
      <AsCode operation="exportData" input={{ body }} />
      <FormDialog title={t.newExport} verb={common().add} isOpen={isAsking.value} onClose={close} save={make}>
        <Phone hint={t.exportHint} value={phone.value} onValue={(value) => (phone.value = value)} />
      </FormDialog>
    </section>
  );
}

function Row({ made }: { readonly made: Schemas['PrivacyExport'] }): JSX.Element {
  const t = words();
  const { id, of, status, progress, requested_at } = made;
  const saving = useAct();
  const save = (): Promise<void> =>
    saving.run(async () => {
      const address = URL.createObjectURL(await callForBytes('downloadExport', { params: { id } }));
      const link = document.createElement('a');
      link.href = address;
      link.download = `export-${id}.zip`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    });
  return (
    <li data-testid="export-row" data-status={status}>
      <div class="line">
        <div class="grow">
          <strong>{t.whose[of]}</strong>
          <p class="soft small">{whenText(requested_at)}</p>
        </div>
        {(status === 'queued' || status === 'running') && <progress aria-label={t.progress} max={1} value={progress} />}
        <Badge tone={TONES[status]} text={t.status[status]} />
        {status === 'done' && (
          <button
            type="button"
            class="button slim"
            aria-label={t.downloadOf(whenText(requested_at))}
            disabled={saving.isBusy.value}
            onClick={save}
          >
            {t.download}
          </button>
        )}
      </div>
      {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
    </li>
  );
}
