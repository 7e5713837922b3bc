/** Dialogs: they hold the focus, close with Escape, and give it back. */
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, IconButton, type PressProps } from './button.tsx';

/** What a dialog takes. */
export interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  isWide?: boolean;
  /** Whether a press outside leaves it open, because its content cannot be shown again. */
  isKept?: boolean;
}

/** A dialog, open as long as it is rendered. */
export function Dialog({ title, onClose, children, isWide = false, isKept = false }: DialogProps) {
  return (
    <ModalOverlay className="veil" isOpen isDismissable={!isKept} onOpenChange={(open) => !open && onClose()}>
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

interface DialogButtonProps extends Omit<PressProps, 'children' | 'onPress'> {
  text: ReactNode;
  /** The dialog, which is given what closes it. */
  children(close: () => void): ReactNode;
}

/** A button, and the dialog that it opens. */
export function DialogButton({ text, children, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onPress={() => setOpen(true)}>
        {text}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}
