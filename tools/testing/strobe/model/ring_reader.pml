/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The consuming reader of ring.pml, which includes this file and describes it. Labels like F1
 * and T1 are those at the top of kernel/trace/strobe/ring/read.c.
 */

#ifdef GIVE_UP
/* n = the index of record @which among those that were not discarded. */
inline index_of(which)
{
	n = which;
	tmp = 0;
	do
	:: tmp < which ->
		n = n - ((gone >> tmp) & 1);
		tmp++
	:: else ->
		break
	od;
	tmp = 0
}
#else
#define index_of(which)	n = which
#endif

inline cursor_next()
{
	assert(seq <= SEQ(com));
	if
	:: seq == SEQ(com)
	:: else ->
		seq = (SEQ(com) - seq >= SLOTS -> SEQ(com) - (SLOTS - 1) : seq + 1);
		off = 0
	fi
}

/* Goes to fill, taking or copying. */
inline find()
{
	atomic {
		word = slot[INDEX(seq)].word;		/* F2, FIND:A */
		if
		:: HOLDS(word, seq)
		:: else ->
			cursor_next();
			goto fill
		fi
	}
	MERGED {					/* F3 */
		atomic {
			index = slot[INDEX(seq)].first;
			if
			:: off && index != first ->
				/* the slot's next lap: go to the oldest sequence */
				off = 0;
				seq = (SEQ(com) >= SLOTS -> SEQ(com) - SLOTS : 0);
				cursor_next();
				goto fill
			:: else
			fi;
			first = index
		}
		index = index + MARK(word);
		unread = (seq == SEQ(com) -> COUNT(com) : slot[INDEX(seq)].count) -
			 MARK(word);
		time = (off -> ts : stamp[ID(word)]);
		atomic {
			end = (seq == SEQ(com) -> OFF(com) : slot[INDEX(seq)].end);
			if
			:: end > LIMIT || off > end ->
				end = off
			:: else
			fi
		}
		if
#ifndef BUSTED_TAKE
		:: seq == SEQ(com) && off != end ->
			goto copying
		:: seq == SEQ(com) && off == end ->
			/* F4: the ring is empty. */
			atomic {
				if
				:: cpu == NOBODY && committed == com ->
					assert(reserved == next - lost +
					       overrun + discarded);
#ifndef GIVE_UP
					assert(lost == overrun)
#endif
				:: else
				fi;
				goto fill
			}
#endif
		:: else ->
			if
			:: unread ->
				goto taking
			:: else ->			/* F4 */
				cursor_next();
				goto fill
			fi
		fi
	}
}

/* Read the records of the reader page from pos to end; their number must be unread. */
inline consume()
{
	lost = lost + index - next;			/* F5 */
	next = index;
	do
	:: pos < end ->
		h = header[AT(hand, pos)];
		assert(LEN(h) && pos + LEN(h) <= end);
		time = time + DELTA(h);
		if
		:: PAD(h)
		:: else ->
			p = payload[AT(hand, pos)];
			index_of(NUMBER(p));
			assert(n == next);
			assert(p == PAYLOAD(time, NUMBER(p)));
			next++;
			unread--
		fi;
		pos = pos + LEN(h)
	:: else ->
		break
	od;
	assert(!unread);
	h = 0;
	p = 0;
	n = 0
}

/* Goes to fill if a writer was faster. */
inline take()
{
	atomic {					/* T1, TAKE:B */
		if
#ifndef BUSTED_SWAP
		:: slot[INDEX(seq)].word != word ->
			goto fill
#endif
		:: else ->
			slot[INDEX(seq)].word = SLOT(0, 0, hand, seq);
			hand = ID(word);
			pos = off;
			consume();
			cursor_next()
		fi
	}
}

/* Goes to fill if a writer was faster. */
inline copy_part()
{
	MERGED {					/* P1 */
		pos = off;
		do
		:: pos < end ->
			atomic {
				header[AT(hand, pos - off)] =
					header[AT(ID(word), pos)];
				payload[AT(hand, pos - off)] =
					payload[AT(ID(word), pos)];
				pos++
			}
		:: else ->
			break
		od
	}
	atomic {					/* P2, TAKE:B */
		if
#ifndef BUSTED_COPY
		:: slot[INDEX(seq)].word != word ->
			goto fill
#endif
		:: else ->
#ifndef BUSTED_MARK
			slot[INDEX(seq)].word =
				SLOT(1, MARK(word) + unread, ID(word), seq);
#endif
			pos = 0;
			p = end;
			end = end - off;
			off = p;
			consume();
			ts = time
		fi
	}
}
