/** Dialogs: they hold the focus, close with Escape, and give it back. */
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Form, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, IconButton, type Tone } from './button.tsx';
import { TextField } from './field.tsx';
import { ErrorNotice } from './notice.tsx';

/** A dialog; `children` get the function that closes it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  isWide = false,
  isKept = false,
}: {
  title: string;
  isOpen: boolean;
  onClose(): void;
  children: ReactNode;
  isWide?: boolean;
  /** Whether a press outside leaves it open: it shows what cannot be had again. */
  isKept?: boolean;
}) {
  return (
    <ModalOverlay
      className="veil"
      isOpen={isOpen}
      isDismissable={!isKept}
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className={isWide ? 'modal wide' : 'modal'}>
        <AriaDialog className="dialog">
          <div className="dialog-head">
            <Heading slot="title">{title}</Heading>
            <IconButton label="Close" icon="close" isTiny onPress={onClose} />
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons that end a dialog or a form: one that cancels, and the action; without `onPress` it submits the form. */
export function DialogActions({
  action,
  onCancel,
  onPress,
  tone = 'primary',
  cancel = 'Cancel',
  isPending = false,
  isDisabled = false,
}: {
  action: ReactNode;
  onCancel(): void;
  onPress?(): void;
  tone?: Tone;
  cancel?: string;
  isPending?: boolean;
  isDisabled?: boolean;
}) {
  const act = onPress ? { onPress } : { type: 'submit' as const };
  return (
    <div className="form-actions">
      <Button onPress={onCancel}>{cancel}</Button>
      <Button tone={tone} isPending={isPending} isDisabled={isDisabled} {...act}>
        {action}
      </Button>
    </div>
  );
}

/** A form in a dialog: its fields, the errors that no field shows, and its buttons. */
export function FormDialog({
  error,
  shown = [],
  onSubmit,
  children,
  actions,
  action,
  isPending = false,
  isDisabled = false,
  ...dialog
}: Omit<Parameters<typeof Dialog>[0], 'isOpen'> & {
  /** What the button says: `Save signal`. */
  action: ReactNode;
  onSubmit(): void;
  isPending?: boolean;
  isDisabled?: boolean;
  error?: unknown;
  /** Parameter paths whose messages are shown at their fields. */
  shown?: readonly string[];
  /** In place of the two buttons. */
  actions?: ReactNode;
}) {
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (!isPending && !isDisabled) onSubmit();
  };
  return (
    <Dialog isOpen {...dialog}>
      <Form className="form" onSubmit={submit}>
        {children}
        {error ? <ErrorNotice error={error} shown={shown} /> : null}
        {actions || (
          <DialogActions
            action={action}
            onCancel={dialog.onClose}
            isPending={isPending}
            isDisabled={isDisabled}
          />
        )}
      </Form>
    </Dialog>
  );
}

/** Asks before something that cannot be undone; with `phrase` it has to be typed. */
export function ConfirmDialog({
  title,
  action,
  phrase,
  isOpen,
  onClose,
  onConfirm,
  isPending = false,
  error,
  children,
}: {
  title: string;
  /** What the button says: `Delete integration`. */
  action: string;
  phrase?: string;
  isOpen: boolean;
  onClose(): void;
  onConfirm(): void;
  isPending?: boolean;
  error?: unknown;
  children: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      <div className="stack-tight">{children}</div>
      {phrase !== undefined && (
        <TextField
          label={`Type “${phrase}” to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
        />
      )}
      {error ? <ErrorNotice error={error} /> : null}
      <DialogActions
        action={action}
        tone="danger primary"
        onCancel={close}
        onPress={onConfirm}
        isPending={isPending}
        isDisabled={phrase !== undefined && typed !== phrase}
      />
    </Dialog>
  );
}
