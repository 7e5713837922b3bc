/** Forms: the button or Enter sends them, and errors that no field shows are above the buttons. */
import { type ReactNode, useState } from 'react';
import { Form } from 'react-aria-components';
import { type Method, useRpcChange } from '../platform/rpc/rpc.ts';
import { fieldError } from '../platform/rpc/rpc-error.ts';
import { Button, type Tone } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { TextField } from './field.tsx';
import { ErrorNotice } from './notice.tsx';
import { notify } from './toast.tsx';

/** The state of a call that a form makes; a mutation is one. */
interface Sending {
  isPending: boolean;
  error: unknown;
}

interface PlainFormProps {
  onSubmit(): void;
  className?: string;
  /** Whether the browser checks required fields before it submits. */
  isChecked?: boolean;
  children: ReactNode;
}

/** A form that is sent by a script, so that the page stays. */
export function PlainForm({ onSubmit, className = 'form', isChecked = true, children }: PlainFormProps) {
  return (
    <Form
      className={className}
      validationBehavior={isChecked ? 'native' : 'aria'}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </Form>
  );
}

interface NameFieldProps {
  value: string;
  onChange(name: string): void;
  /** The error of the call that sends it. */
  error: unknown;
  hint?: string;
  maxLength?: number;
  autoComplete?: string;
}

/** The name in a form, which is required and is typed first. */
export function NameField({ error, maxLength = 128, ...field }: NameFieldProps) {
  return (
    <TextField
      label="Name"
      {...field}
      error={fieldError(error, 'name')}
      isRequired
      autoFocus
      maxLength={maxLength}
    />
  );
}

const sent: Sending = { isPending: false, error: null };

interface FormDialogProps extends DialogProps {
  /** The text of the button that submits: `Save signal`. */
  action: string;
  tone?: Tone;
  sending?: Sending;
  /** Parameter paths whose errors are shown at their fields. */
  shown?: readonly string[];
  isDisabled?: boolean;
  /** Buttons between "Cancel" and the one that submits. */
  more?: ReactNode;
  onSubmit(): void;
  /** While it is sending, the first button is "Stop" and calls this. */
  onStop?: (() => void) | undefined;
}

/** A form in a dialog: fields, the error of the call, "Cancel", and the button that submits. */
export function FormDialog({
  action,
  tone = 'primary',
  sending: { isPending, error } = sent,
  shown,
  isDisabled = false,
  more,
  onSubmit,
  onStop,
  children,
  ...dialog
}: FormDialogProps) {
  const isStoppable = isPending && onStop !== undefined;
  return (
    <Dialog {...dialog}>
      <PlainForm onSubmit={() => !isPending && !isDisabled && onSubmit()}>
        {children}
        {error ? <ErrorNotice error={error} shown={shown} /> : null}
        <div className="form-actions">
          <Button onPress={isStoppable ? onStop : dialog.onClose}>{isStoppable ? 'Stop' : 'Cancel'}</Button>
          {more}
          <Button type="submit" tone={tone} isPending={isPending} isDisabled={isDisabled}>
            {action}
          </Button>
        </div>
      </PlainForm>
    </Dialog>
  );
}

/** Asks before something that cannot be undone; with `phrase`, that text has to be typed first. */
export function ConfirmDialog({ phrase = '', children, ...form }: FormDialogProps & { phrase?: string }) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog {...form} tone="danger primary" isDisabled={typed !== phrase}>
      <div className="stack-tight">{children}</div>
      {phrase !== '' && (
        <TextField
          label={`Type “${phrase}” to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
        />
      )}
    </FormDialog>
  );
}

/** The call of a dialog. When it is done and `renewed` is requested again, the message is shown and the dialog closes. */
export function useDialogCall<M extends Method>(
  method: M,
  renewed: readonly Method[],
  message: string,
  onClose: () => void,
) {
  return useRpcChange(method, renewed, () => {
    notify(message);
    onClose();
  });
}
