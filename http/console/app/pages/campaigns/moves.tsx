import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import type { Resource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Failure } from '../../ui/states.tsx';
import type { Campaign } from './facts.ts';
import { words } from './words.ts';

interface MovesProps {
  readonly campaign: Campaign;
  readonly resource: Resource<Campaign>;
}

export function Moves({ campaign, resource }: MovesProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const { id, status } = campaign;
  const acting = useAct();
  const asking = useSignal<'cancel' | 'remove' | null>(null);
  const params = { id };
  const move = (operation: 'pauseBlast' | 'resumeBlast' | 'cancelBlast'): Promise<void> =>
    acting.run(async () => {
      resource.put(await call(operation, { params }));
      asking.value = null;
    });
  const remove = (): Promise<void> =>
    acting.run(async () => {
      await call('deleteBlast', { params });
      route(`${BASE}/campaigns`);
    });
  const save = (): Promise<void> =>
    acting.run(async () => saveFile(new Blob([await call('getBlastReport', { params })], { type: 'text/csv' }), `campaign-${id}.csv`));
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
  const isAsking = asking.value;
  const isBusy = acting.isBusy.value;
  return (
    <>
      {status === 'running' && (
        <button type="button" class="button" data-testid="campaign-pause" disabled={isBusy} onClick={() => move('pauseBlast')}>
          <Icon name="pause" />
          {t.pause}
        </button>
      )}
      {status === 'paused' && (
        <button type="button" class="button first" data-testid="campaign-resume" disabled={isBusy} onClick={() => move('resumeBlast')}>
          <Icon name="play" />
          {t.resume}
        </button>
      )}
      {status !== 'draft' && (
        <button type="button" class="button" disabled={isBusy} onClick={save}>
          <Icon name="download" />
          {t.report}
        </button>
      )}
      {!isOver && status !== 'draft' && (
        <button
          type="button"
          class="button danger"
          data-testid="campaign-cancel"
          aria-haspopup="dialog"
          onClick={() => (asking.value = 'cancel')}
        >
          {t.cancel}
        </button>
      )}
      {(isOver || status === 'draft') && (
        <button type="button" class="button danger" aria-haspopup="dialog" onClick={() => (asking.value = 'remove')}>
          {t.remove}
        </button>
      )}
      {acting.error.value && isAsking === null && <Failure error={acting.error.value} />}
      <Confirm
        title={isAsking === 'remove' ? t.remove : t.cancel}
        verb={isAsking === 'remove' ? t.remove : t.cancel}
        isDangerous
        isOpen={isAsking !== null}
        isBusy={isBusy}
        onClose={() => (asking.value = null)}
        onConfirm={() => (isAsking === 'remove' ? remove() : move('cancelBlast'))}
      >
        <p>{isAsking === 'remove' ? t.removeAsk : t.cancelAsk}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
        <AsCode operation={isAsking === 'remove' ? 'deleteBlast' : 'cancelBlast'} input={{ params }} />
      </Confirm>
    </>
  );
}
