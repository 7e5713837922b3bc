/** Settings of programs that write to InfluxDB or Prometheus, with which they write here. They take Basic pairs only. */
import type { CredentialsFile } from '@tidemark/client/wire';
import type { Snippet } from './snippet.ts';

/** The secret where it is known, and what has to be there instead. */
export interface AgentLogin extends Pick<CredentialsFile, 'integration' | 'apiUrl'> {
  secret: string;
}

/** The settings. */
export function agentSnippets(login: AgentLogin): Snippet[] {
  return [telegrafInflux(login), prometheus(login), homeAssistant(login)];
}

/** The address of the service, without a slash at its end. */
function addressOf({ apiUrl }: AgentLogin): string {
  return new URL('..', apiUrl).href.replace(/\/$/, '');
}

function telegrafInflux(login: AgentLogin): Snippet {
  const code = `[[outputs.influxdb_v2]]
  urls = ["${addressOf(login)}"]
  token = "${login.integration}:${login.secret}"
  organization = "any"
  bucket = "any"

[[inputs.cpu]]
  percpu = false
  totalcpu = true`;
  return {
    id: 'telegraf-influx',
    title: 'Telegraf, InfluxDB',
    note: 'Telegraf’s output “influxdb_v2” writes here as it does to InfluxDB: each field becomes a signal, with the tags as labels.',
    code,
  };
}

function prometheus(login: AgentLogin): Snippet {
  const code = `remote_write:
  - url: ${addressOf(login)}/api/v1/write
    basic_auth:
      username: '${login.integration}'
      password: '${login.secret}'
    queue_config:
      retry_on_http_429: true`;
  return {
    id: 'prometheus',
    title: 'Prometheus',
    note: 'For prometheus.yml. Each series becomes a signal, with its labels; write_relabel_configs chooses which are sent.',
    code,
  };
}

function homeAssistant(login: AgentLogin): Snippet {
  const { hostname, port, protocol, pathname } = new URL(addressOf(login));
  const path = pathname === '/' ? '' : `\n  path: ${pathname}`;
  const isTls = protocol === 'https:';
  const code = `influxdb:
  api_version: 2
  host: ${hostname}
  port: ${port || (isTls ? 443 : 80)}
  ssl: ${isTls}${path}
  token: "${login.integration}:${login.secret}"
  organization: any
  bucket: any`;
  return {
    id: 'home-assistant',
    title: 'Home Assistant',
    note: 'For configuration.yaml. The numbers of entities become signals; attributes that are strings are left out.',
    code,
  };
}
