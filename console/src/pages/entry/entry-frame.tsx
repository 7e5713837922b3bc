/** The frame of the pages before sign-in. */
import { InstanceMark } from '../../parts/instance-mark.tsx';
import { type PageProps, PageTitle } from '../../parts/page.tsx';
import { useSession } from '../../platform/session/context.tsx';
import './entry-frame.css';

/** A card in the middle, below the name of the instance. */
export function EntryFrame({ title, lead, children }: Pick<PageProps, 'title' | 'lead' | 'children'>) {
  const { instance } = useSession().session;
  return (
    <div className="entry">
      <div className="instance-stripe" style={{ background: instance.color }} />
      <main className="entry-card">
        <div className="line entry-instance">
          <InstanceMark color={instance.color} name={instance.name} />
          <b className="break">{instance.name}</b>
        </div>
        <div className="stack-tight">
          <PageTitle title={title} />
          {lead && <div className="quiet">{lead}</div>}
        </div>
        {children}
      </main>
    </div>
  );
}
