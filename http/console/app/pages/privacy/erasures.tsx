import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { Phone } from './holds.tsx';
import { useLook } from './look.ts';
import { words } from './words.ts';

export function Erasures(): JSX.Element {
  const t = words();
  const erasures = useResource('erasures', (signal) => call('listErasures', {}, { signal }));
  useLook(erasures, ({ erasures: list }) => list.some(({ status }) => status !== 'done'));
  const phone = useSignal('');
  const isAsking = useSignal(false);
  const erasing = useAct();
  // A second attempt asks for confirmation again, because the number may have been edited.
  const ask = (): void => {
    isAsking.value = true;
  };
  const close = (): void => {
    isAsking.value = false;
  };
  const body = { phone: phone.value.trim(), confirm: true };
  const erase = (): Promise<void> =>
    erasing.run(async () => {
      await call('erasePerson', { body }).finally(close);
      phone.value = '';
      erasures.reload();
    });
  return (
    <section class="card stack">
      <h2>{t.erasures}</h2>
      <p class="soft">{t.erasuresAbout}</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <Phone value={phone.value} onValue={(value) => (phone.value = value)} />
        {erasing.error.value && <Failure error={erasing.error.value} onRetry={ask} />}
        <div class="row">
          <button type="submit" class="button danger" aria-haspopup="dialog" disabled={erasing.isBusy.value}>
            {t.erase}
          </button>
        </div>
      </form>
      <Loaded of={erasures}>
        {({ erasures: list }) => (
          <Listing of={list} empty={<Empty title={t.noErasures} about={t.noErasuresAbout} />}>
            {(one) => <Row key={one.id} erasure={one} />}
          </Listing>
        )}
      </Loaded>
      <AsCode operation="erasePerson" input={{ body }} />
      <Confirm title={t.erase} verb={t.erase} isDangerous isOpen={isAsking.value} onClose={close} onConfirm={erase}>
        <p class="breaks">{t.eraseAsk(body.phone)}</p>
      </Confirm>
    </section>
  );
}

function Row({ erasure }: { readonly erasure: Schemas['Erasure'] }): JSX.Element {
  const t = words();
  const { status, requested_at, counts, proof } = erasure;
  const removed = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return (
    <li data-testid="erasure-row" data-status={status}>
      <div class="line">
        <div class="grow">
          <strong>{whenText(requested_at)}</strong>
          <p class="soft small">{t.records(numberText(removed))}</p>
          {proof !== null && (
            <p class="soft small breaks">
              {t.proof}: <code>{proof}</code>
            </p>
          )}
        </div>
        <Badge tone={status === 'done' ? 'good' : 'calm'} text={t.status[status]} />
      </div>
    </li>
  );
}
