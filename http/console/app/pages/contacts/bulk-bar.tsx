import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/request.ts';
import { whenEnded } from '../../api/when-ended.ts';
import { useAct } from '../../ui/act.ts';
import { Confirm, FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { consentWords } from '../../words/consent.ts';
import { words } from './words.ts';

interface BulkBarProps {
  readonly chosen: readonly Schemas['Contact'][];
  readonly onDone: () => void;
  readonly onDrop: () => void;
}

async function change(body: Schemas['ChangeContactsRequest']): Promise<void> {
  const begun = await call('changeContacts', { body });
  const again = ({ id }: typeof begun) => call('getContactsBulk', { params: { id: id ?? '' } });
  const { status } = await whenEnded(begun, { again });
  if (status === 'failed') throw new ApiError(words().bulkFailed, { code: 'BULK_FAILED' });
}

type Asking = 'tag' | 'untag' | 'optIn' | 'optOut' | 'delete' | null;

export function BulkBar({ chosen, onDone, onDrop }: BulkBarProps): JSX.Element {
  const [t, c] = [words(), consentWords()];
  const asking = useSignal<Asking>(null);
  const tag = useSignal('');
  const acting = useAct();
  const ids = chosen.map(({ id }) => id);
  const numbers = chosen.flatMap(({ phone, lid }) => (phone === null ? (lid === null ? [] : [lid]) : [`+${phone}`]));
  const close = (): void => {
    asking.value = null;
  };
  const done = (): void => {
    close();
    tag.value = '';
    onDone();
  };
  const confirmed = (work: () => Promise<unknown>) => (): Promise<void> =>
    acting.run(async () => {
      await work();
      done();
    });
  const isTagging = asking.value === 'tag' || asking.value === 'untag';
  const open = (next: Asking) => () => {
    asking.value = next;
  };
  return (
    <div class="bulk-bar" role="toolbar" aria-label={t.chosen(chosen.length)} data-testid="bulk-bar">
      <strong class="grow" role="status">
        {t.chosen(chosen.length)}
      </strong>
      <button type="button" class="button slim" aria-haspopup="dialog" onClick={open('tag')}>
        {t.addTag}
      </button>
      <button type="button" class="button slim" aria-haspopup="dialog" onClick={open('untag')}>
        {t.removeTag}
      </button>
      <button type="button" class="button slim" aria-haspopup="dialog" disabled={numbers.length === 0} onClick={open('optIn')}>
        {t.optIn}
      </button>
      <button type="button" class="button slim" aria-haspopup="dialog" disabled={numbers.length === 0} onClick={open('optOut')}>
        {c.optOut}
      </button>
      <button type="button" class="button slim danger" aria-haspopup="dialog" onClick={open('delete')}>
        {t.remove}
      </button>
      <button type="button" class="button slim plain" onClick={onDrop}>
        {t.drop}
      </button>
      <FormDialog
        title={asking.value === 'untag' ? t.removeTag : t.addTag}
        isOpen={isTagging}
        onClose={close}
        isReady={tag.value.trim() !== ''}
        save={async () => {
          await change({ action: asking.value === 'untag' ? 'untag' : 'tag', ids, value: tag.value.trim() });
          done();
        }}
      >
        <Field label={t.tag} testId="bulk-tag" value={tag.value} onValue={(value) => (tag.value = value)} required maxLength={50} />
      </FormDialog>
      <Confirm
        title={t.optInTitle(chosen.length)}
        verb={t.optIn}
        isOpen={asking.value === 'optIn'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={confirmed(() => call('setConsents', { body: { phones: numbers, status: 'opted_in' } }))}
      >
        <p>{t.optInAbout}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
      </Confirm>
      <Confirm
        title={t.optOutTitle(chosen.length)}
        verb={c.optOut}
        isDangerous
        isOpen={asking.value === 'optOut'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={confirmed(() => call('setConsents', { body: { phones: numbers, status: 'opted_out' } }))}
      >
        <p>{c.optOutAbout}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
      </Confirm>
      <Confirm
        title={t.removeTitle(chosen.length)}
        verb={t.remove}
        isDangerous
        isOpen={asking.value === 'delete'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={confirmed(() => change({ action: 'delete', ids }))}
      >
        <p>{t.removeAbout}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
      </Confirm>
    </div>
  );
}
