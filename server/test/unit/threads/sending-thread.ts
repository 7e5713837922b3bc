/** A thread that sends two messages to the socket in its data, and fails. */
import { workerData } from 'node:worker_threads';
import { MessageSender } from '#threads/message-socket';

const sender = new MessageSender(workerData as number, () => {});
sender.send('first');
sender.send('last');
process.exit(1);
