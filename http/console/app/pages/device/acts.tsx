import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

interface ActsProps {
  readonly session: Schemas['Session'];
  readonly onChange: () => void;
}

export function Acts({ session, onChange }: ActsProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const params = { sessionId: session.id };
  const asked = useSignal<'logOut' | 'remove' | null>(null);
  const acting = useAct();
  const isLinked = session.phone_number !== null && session.status !== 'failed';
  const act = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work().finally(() => {
        asked.value = null;
      });
      onChange();
    });
  const remove = (): Promise<void> =>
    acting.run(async () => {
      await call('deleteSession', { params }).finally(() => {
        asked.value = null;
      });
      route(`${BASE}/devices`);
    });
  return (
    <section class="stack" aria-label={t.title}>
      {acting.error.value && <Failure error={acting.error.value} />}
      <div class="buttons">
        {isLinked && (
          <button type="button" class="button" disabled={acting.isBusy.value} onClick={() => act(() => call('restartSession', { params }))}>
            {t.reconnect}
          </button>
        )}
        {isLinked && session.driver === 'linked' && (
          <button type="button" class="button" aria-haspopup="dialog" onClick={() => (asked.value = 'logOut')}>
            {t.logOut}
          </button>
        )}
        <button type="button" class="button danger" aria-haspopup="dialog" onClick={() => (asked.value = 'remove')}>
          {t.remove}
        </button>
      </div>
      <Confirm
        title={t.logOut}
        verb={t.logOut}
        isOpen={asked.value === 'logOut'}
        isBusy={acting.isBusy.value}
        onClose={() => (asked.value = null)}
        onConfirm={() => act(() => call('logOutSession', { params }))}
      >
        <p>{t.logOutAsk}</p>
      </Confirm>
      <Confirm
        title={t.remove}
        verb={t.remove}
        isDangerous
        isOpen={asked.value === 'remove'}
        isBusy={acting.isBusy.value}
        onClose={() => (asked.value = null)}
        onConfirm={remove}
      >
        <p>{t.removeAsk}</p>
      </Confirm>
    </section>
  );
}
