import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
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
  const acting = useAct();
  const toggle = (): Promise<void> =>
    acting.run(async () => {
      await call('changeAutoReply', { params, body: { is_active: !isOn } });
      onChange();
    });
  const edit = {
    label: t.editOf(name),
    form: (isOpen: boolean, close: () => void) => (
      <RuleForm sessionId={session_id} rule={rule} isOpen={isOpen} onClose={close} onSaved={onChange} />
    ),
  };
  return (
    <EditableRow
      edit={reply_type === 'text' ? edit : undefined}
      remove={{ label: t.removeOf(name), ask: t.removeAsk, run: () => call('deleteAutoReply', { params }) }}
      act={acting}
      onChange={onChange}
    >
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
        onClick={toggle}
      >
        {isOn ? t.turnOff : t.turnOn}
      </button>
    </EditableRow>
  );
}
