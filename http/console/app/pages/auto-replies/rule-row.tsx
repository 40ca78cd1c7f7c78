import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { RuleForm } from './rule-form.tsx';
import { words } from './words.ts';

interface RuleRowProps {
  readonly rule: Schemas['AutoReplyRule'];
  readonly onChange: () => void;
}

export function RuleRow({ rule, onChange }: RuleRowProps): JSX.Element {
  const t = words();
  const { id, session_id, name, trigger_type, trigger_text, reply_type, reply_body, reply_caption } = rule;
  const isOn = rule.is_active === 1;
  const params = { sessionId: session_id, ruleId: id };
  const open = useSignal<'edit' | 'remove' | null>(null);
  const acting = useAct();
  const close = (): void => {
    open.value = null;
  };
  const act = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work();
      onChange();
    });
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{name}</strong>
          <p class="soft small breaks">
            {t.trigger} {t.triggers[trigger_type]} {trigger_text !== null && <code>{trigger_text}</code>}
          </p>
          <p class="small breaks">{reply_body ?? reply_caption ?? reply_type}</p>
        </div>
        {!isOn && <Badge tone="calm" text={t.off} />}
        <button
          type="button"
          class="button slim"
          aria-label={isOn ? t.turnOffOf(name) : t.turnOnOf(name)}
          disabled={acting.isBusy.value}
          onClick={() => act(() => call('changeAutoReply', { params, body: { is_active: !isOn } }))}
        >
          {isOn ? t.turnOff : t.turnOn}
        </button>
        {reply_type === 'text' && (
          <button
            type="button"
            class="button slim"
            aria-haspopup="dialog"
            aria-label={t.editOf(name)}
            onClick={() => (open.value = 'edit')}
          >
            {common().edit}
          </button>
        )}
        <button
          type="button"
          class="button slim"
          aria-haspopup="dialog"
          aria-label={t.removeOf(name)}
          onClick={() => (open.value = 'remove')}
        >
          {common().remove}
        </button>
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <RuleForm sessionId={session_id} rule={rule} isOpen={open.value === 'edit'} onClose={close} onSaved={onChange} />
      <Confirm
        title={t.removeOf(name)}
        verb={common().remove}
        isDangerous
        isOpen={open.value === 'remove'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={() => act(() => call('deleteAutoReply', { params }).finally(close))}
      >
        <p>{t.removeAsk}</p>
      </Confirm>
    </li>
  );
}
