/** The MQTT connections of an integration, and its messages in the last minute. */
import type { BrokerTraffic } from '@tidemark/client/wire';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { SilentNodes } from '../operate/silent-nodes.tsx';

/** What the broker says about an integration; undefined: not yet known, or there is no broker. */
export function useBroker(id: string) {
  const { data } = useRpc('console.integrations.broker', { id }, { refetchMs: 5000 });
  return data?.broker ? { traffic: data.broker, silentNodes: data.silentNodes } : undefined;
}

/** The fact. */
export function MqttFact({ traffic, silentNodes }: { traffic: BrokerTraffic; silentNodes: string[] }) {
  const { connections, received, rejected, delivered } = traffic;
  return (
    <div>
      {connections === null ? 'By another broker' : printNumberOf(connections, 'connection')}
      <span className="quiet">
        , in the last minute {printNumberOf(received, 'message')} received
        {rejected > 0 && ` (${printCount(rejected)} rejected)`}
        {connections !== null && `, ${printCount(delivered)} delivered`}
      </span>
      <SilentNodes names={silentNodes} />
    </div>
  );
}
