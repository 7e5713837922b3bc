/** Dialogs: they hold the focus, close with Escape, and give it back. */
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, IconButton } from './button.tsx';
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
      <div className="form-actions">
        <Button onPress={close}>Cancel</Button>
        <Button
          tone="danger primary"
          isPending={isPending}
          isDisabled={phrase !== undefined && typed !== phrase}
          onPress={onConfirm}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
